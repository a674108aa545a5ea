import { because, type Reason } from "@portcullis/contract/reason";
import { type Cidr, networkAround, overlaps, parseNetwork } from "../../net/addresses.ts";
import { isWithin } from "./evaluate.ts";
import { exposures } from "./exposures.ts";
import { type Finding, finding } from "./finding.ts";
import { type Facts, type HopFact, hopKey, isSplit } from "../input/facts.ts";
import type { Intent, IntentPolicy } from "../input/intent.ts";
import { planName } from "../egress/kernel-ids.ts";
import { inOrder } from "../input/policy-order.ts";
import { elsewhere, impossible } from "./outcome.ts";

/**
 * Policies that contradict, shadow or duplicate each other, whatever their schedules: two that never apply at the same time need
 * different priorities all the same. Keys that can overlap are looked up by their ancestors (shorter prefixes,
 * parent domains), so the work grows with the policies, not with their pairs.
 */
export function conflicts(intent: Intent, facts: Facts): Finding[] {
  const ordered = inOrder(intent.policies);
  const position = new Map(ordered.map((policy, index) => [policy, index]));
  const inventory = inventoryOf(intent, facts);
  const byKey = new Map<string, IntentPolicy[]>();
  for (const policy of ordered)
    for (const key of ownKeys(policy, inventory)) {
      const known = byKey.get(key);
      if (known) known.push(policy);
      else byKey.set(key, [policy]);
    }

  const open = exposures(intent, facts);
  return ordered.flatMap((policy) => {
    const covering = coveringKeys(policy, inventory).flatMap(({ key, whole }) =>
      (byKey.get(key) ?? []).filter((it) => it !== policy).map((other) => ({ other, whole })),
    );
    const findings = covering.flatMap(({ other, whole }) => clash(policy, other, whole, position) ?? []);
    return [
      ...dangling(policy, inventory),
      ...misplacedHops(policy, inventory),
      ...(open.get(policy.id) ?? []),
      ...firstOfEach(findings),
    ];
  });
}

/** The policies that contradict one policy. Computed at each change, so the others are not compared with each other. */
export function contradictionsOf(policy: IntentPolicy, { devices, policies }: Intent): Finding[] {
  const isMember = (group: string) => (device: Intent["devices"][number]) => device.groupIds.includes(group);
  return policies
    .filter((other) => other !== policy && isSameOrder(policy, other) && planName(policy) !== planName(other))
    .filter((other) =>
      policy.sourceType === "device_group"
        ? policy.sourceValue === other.sourceValue ||
          devices.filter(isMember(policy.sourceValue)).some(isMember(other.sourceValue))
        : isOverlapping(policy, other),
    )
    .map((other) => contradiction(policy, other));
}

const isSameOrder = (a: IntentPolicy, b: IntentPolicy): boolean =>
  a.priority === b.priority && a.sourceType === b.sourceType;

/** Of two policies of one type. */
function isOverlapping(a: IntentPolicy, b: IntentPolicy): boolean {
  const [one, other] = [networkOf(a), networkOf(b)];
  if (one && other) return overlaps(one, other);
  if (a.sourceType !== "domain") return a.sourceValue === b.sourceValue;
  return isWithin(a.sourceValue, b.sourceValue) || isWithin(b.sourceValue, a.sourceValue);
}

const contradiction = (policy: IntentPolicy, other: IntentPolicy): Finding =>
  finding({ kind: "contradiction", policy_id: policy.id, other_id: other.id }, because("policy_contradicts"));

/** Existing devices, groups and hops, indexed. */
interface Inventory {
  readonly devices: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  /** Group → ids of its devices. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly hops: ReadonlyMap<string, HopFact>;
  /** Prefix lengths that occur in policies: no others need to be looked up. */
  readonly prefixLengths: readonly number[];
}

function inventoryOf({ devices, groups, policies }: Intent, { hops }: Facts): Inventory {
  const members = new Map<string, string[]>(groups.map((group) => [group, []]));
  for (const { id, groupIds } of devices) for (const group of groupIds) members.get(group)?.push(id);
  return {
    devices: new Set(devices.map(({ id }) => id)),
    groups: new Set(groups),
    members,
    hops: new Map(hops.map((hop) => [hopKey(hop), hop])),
    prefixLengths: [...new Set(policies.flatMap((policy) => networkOf(policy)?.bits ?? []))],
  };
}

/** How `other`, which matches some or all of the traffic of `policy`, conflicts with it; undefined if it does not. */
function clash(
  policy: IntentPolicy,
  other: IntentPolicy,
  whole: boolean,
  position: ReadonlyMap<IntentPolicy, number>,
): Finding | undefined {
  const samePlan = planName(policy) === planName(other);
  const about = { policy_id: policy.id, other_id: other.id };
  if (isSameOrder(policy, other) && !samePlan) return contradiction(policy, other);
  if (position.get(other)! > position.get(policy)!) return undefined;
  // It leaves this one its traffic while its own schedule is not active.
  if (other.scheduleId !== undefined && other.scheduleId !== policy.scheduleId) return undefined;
  if (samePlan && policy.sourceType === other.sourceType && policy.sourceValue === other.sourceValue)
    return finding({ kind: "duplicate", ...about }, because("policy_duplicate"));
  if (whole && other.failPolicy !== "fail-over")
    return finding({ kind: "shadowed", ...about }, because("policy_shadowed"));
  return undefined;
}

/** One finding per pair and kind is enough. */
function firstOfEach(findings: readonly Finding[]): Finding[] {
  const seen = new Map(findings.map((it) => [`${it.kind} ${it.other_id}`, it]));
  return [...seen.values()];
}

/** The keys under which other policies find this one. */
function ownKeys(policy: IntentPolicy, { members }: Inventory): string[] {
  const { sourceType, sourceValue } = policy;
  if (sourceType === "device_group")
    return [`group ${sourceValue}`, ...(members.get(sourceValue) ?? []).map((id) => `member ${id}`)];
  const network = networkOf(policy);
  if (network) return [`${sourceType} ${prefixKey(network, network.bits)}`];
  return [`${sourceType} ${sourceValue.toLowerCase()}`];
}

/** The keys under which policies that cover this one are found; `whole` when they cover all of it. */
function coveringKeys(policy: IntentPolicy, { members, prefixLengths }: Inventory): { key: string; whole: boolean }[] {
  const { sourceType, sourceValue } = policy;
  const everything = { key: "all ", whole: true };
  switch (sourceType) {
    case "all":
      return [everything];
    case "device":
      return [{ key: `device ${sourceValue}`, whole: true }, { key: `member ${sourceValue}`, whole: true }, everything];
    case "device_group":
      return [
        { key: `group ${sourceValue}`, whole: true },
        ...(members.get(sourceValue) ?? []).map((id) => ({ key: `member ${id}`, whole: false })),
        everything,
      ];
    case "subnet":
    case "destination": {
      const network = networkOf(policy);
      const lengths = network ? prefixLengths.filter((bits) => bits <= network.bits) : [];
      return [
        ...lengths.map((bits) => ({ key: `${sourceType} ${prefixKey(network!, bits)}`, whole: true })),
        everything,
      ];
    }
    case "domain": {
      const labels = sourceValue.toLowerCase().replace(/^\*\./, "").split(".");
      return [...labels.map((_, from) => ({ key: `domain ${labels.slice(from).join(".")}`, whole: true })), everything];
    }
    case "interface":
    case "vlan":
      return [{ key: `${sourceType} ${sourceValue}`, whole: true }, everything];
  }
}

function networkOf({ sourceType, sourceValue }: IntentPolicy): Cidr | undefined {
  if (sourceType !== "subnet" && sourceType !== "destination") return undefined;
  return parseNetwork(sourceValue);
}

function prefixKey({ family, base }: Cidr, bits: number): string {
  return `${family} ${networkAround({ family, value: base }, bits).base}/${bits}`;
}

/** Hops that cannot be nested as the policy requires: they would never be used for its packets. */
function misplacedHops(policy: IntentPolicy, { hops }: Inventory): Finding[] {
  const found = policy.hops.map((hop) => hops.get(hopKey(hop)));
  return found.flatMap((hop, position): Finding[] => {
    const isFirst = position === 0 || isSplit(policy);
    const before = isFirst ? undefined : found[position - 1];
    // Unknown hops, and hops behind them, are reported as dangling.
    if (!hop || (!isFirst && !before)) return [];
    const misplaced = (kind: Finding["kind"], other_id: string | null, why: Reason): Finding[] => [
      finding(
        { kind, policy_id: policy.id, other_id },
        because("hop_misplaced", { position: position + 1, target: hop.target, why }),
      ),
    ];
    const never = impossible(hop, before);
    if (never !== undefined) return misplaced("dangling", null, never);
    const taken = elsewhere(hop, before);
    return taken === undefined ? [] : misplaced("contradiction", hop.own?.policyId ?? null, taken);
  });
}

/** Devices, groups and hops that a policy names and that do not exist. */
function dangling({ id, sourceType, sourceValue, hops }: IntentPolicy, inventory: Inventory): Finding[] {
  const missing = [
    ...(sourceType === "device" && !inventory.devices.has(sourceValue) ? [because("policy_without_device")] : []),
    ...(sourceType === "device_group" && !inventory.groups.has(sourceValue) ? [because("policy_without_group")] : []),
    ...hops
      .filter((hop) => !inventory.hops.has(hopKey(hop)))
      .map(({ type, target }) => because(`policy_without_${type}`, { target })),
  ];
  return missing.map((why) => finding({ kind: "dangling", policy_id: id }, why));
}
