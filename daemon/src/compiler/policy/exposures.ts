import { because, type Reason } from "@portcullis/contract/reason";
import { type Address, type Cidr, overlaps, parseAddress, parseNetwork } from "../../net/addresses.ts";
import { decide, type Decisions, firstRank } from "./decide.ts";
import { rankOf, steeringDecision } from "./evaluate.ts";
import type { Facts } from "../input/facts.ts";
import { type Finding, finding } from "./finding.ts";
import { type Intent, type IntentDevice, type IntentPolicy, outsideOf } from "../input/intent.ts";

/**
 * Policies that protect less than they seem to: one that covers IPv4 while IPv6 of the same LAN leaves in the clear, or the
 * reverse, and one by which a device leaves in the clear although its privacy class requires a tunnel.
 */
export function exposures(intent: Intent, facts: Facts): Map<string, Finding[]> {
  const isProtecting = protecting(intent);
  const byAddress = intent.policies.filter(isProtecting).filter(({ sourceType }) => addressed.has(sourceType));
  const requiring = intent.devices.filter(({ requiresTunnel }) => requiresTunnel);
  if (byAddress.length === 0 && requiring.length === 0) return new Map();
  const covered = networksBySource(intent.devices);
  const found = timesOf(intent).flatMap((it) => {
    const decisions = decide(it, facts);
    return [
      ...byAddress
        .filter((policy) => it.policies.includes(policy))
        .flatMap((policy) => halfCovered(policy, covered(policy), it, facts, decisions)),
      ...inTheClear(requiring, it, decisions, (policy) => !isProtecting(policy)),
    ];
  });
  const different = new Map(found.map((finding) => [`${finding.policy_id} ${finding.message}`, finding]));
  return Map.groupBy(different.values(), ({ policy_id }) => policy_id);
}

/** While every schedule is active, and while none is: a policy with a schedule protects for some time only. */
function timesOf(intent: Intent): Intent[] {
  const always = intent.policies.filter(({ scheduleId }) => scheduleId === undefined);
  return always.length === intent.policies.length ? [intent] : [intent, { ...intent, policies: always }];
}

/** Sources that may hold for one address family only. */
const addressed: ReadonlySet<string> = new Set(["subnet", "device", "device_group"]);

/** Policies that do not send traffic by an uplink. */
function protecting({ network }: Intent): (policy: IntentPolicy) => boolean {
  const outside = new Set(outsideOf(network));
  return ({ hops, failPolicy }) =>
    hops.length === 0
      ? failPolicy === "fail-closed"
      : !hops.every(({ type, target }) => type === "interface" && outside.has(target));
}

const families = [4, 6] as const;

function halfCovered(
  policy: IntentPolicy,
  covered: readonly Cidr[],
  intent: Intent,
  { links }: Facts,
  decisions: Decisions,
): Finding[] {
  if (covered.length === 0) return [];
  const lans = links.filter(({ name }) => intent.network.lan.includes(name));
  for (const { name, networks = [] } of lans) {
    const own = networks.flatMap((text) => parseNetwork(text) ?? []);
    if (!covered.some((it) => own.some((network) => overlaps(it, network)))) continue;
    const missing = families.find((family) => !covered.some((it) => it.family === family));
    const open = own.find((network) => network.family === missing && isOpen(name, inside(network), intent, decisions));
    if (missing !== undefined && open)
      return [
        exposed(policy, because("policy_half", { covered: missing === 4 ? 6 : 4, open: missing, interface: name })),
      ];
  }
  return [];
}

/** The networks that a policy by address covers. Devices with a MAC are matched by that, in both families. */
function networksBySource(devices: readonly IntentDevice[]): (policy: IntentPolicy) => readonly Cidr[] {
  const byKey = new Map<string, Cidr[]>();
  for (const { id, groupIds, mac, ips } of devices) {
    if (mac !== null) continue;
    const networks = ips.flatMap((ip) => parseNetwork(ip) ?? []);
    for (const key of [`device ${id}`, ...groupIds.map((group) => `device_group ${group}`)])
      byKey.set(key, [...(byKey.get(key) ?? []), ...networks]);
  }
  return ({ sourceType, sourceValue }) =>
    sourceType === "subnet"
      ? [parseNetwork(sourceValue)].filter((it) => it !== undefined)
      : (byKey.get(`${sourceType} ${sourceValue}`) ?? []);
}

const inside = ({ family, base, bits }: Cidr): Address => ({
  family,
  value: bits === (family === 4 ? 32 : 128) ? base : base + 2n,
});

/** Whether a device that has no policy of its own leaves in the clear with such an address. */
const isOpen = (name: string, source: Address, intent: Intent, decisions: Decisions): boolean =>
  steeringDecision({ interface: name, source }, decisions, intent).outcome.kind === "direct";

/** One finding for each policy: it may concern a whole group. */
function inTheClear(
  requiring: readonly IntentDevice[],
  { network }: Intent,
  decisions: Decisions,
  isDirect: (policy: IntentPolicy) => boolean,
): Finding[] {
  const byPolicy = new Map<IntentPolicy, Set<string>>();
  for (const device of requiring)
    for (const name of network.lan)
      for (const source of device.mac === null ? device.ips.flatMap((ip) => parseAddress(ip) ?? []) : [undefined]) {
        const rank = rankOf({ interface: name, mac: device.mac ?? undefined, source }, decisions);
        const policy = decisions.ranked[rank - firstRank]?.policy;
        if (!policy || !(policy.failPolicy === "fail-open" || isDirect(policy))) continue;
        byPolicy.set(policy, (byPolicy.get(policy) ?? new Set()).add(device.mac ?? device.ips[0] ?? device.id));
      }
  return [...byPolicy].map(([policy, ids]) => {
    const [device = "", ...others] = ids;
    const more = others.length;
    const [one, several] = isDirect(policy)
      ? (["policy_exposes", "policy_exposes_several"] as const)
      : (["policy_may_expose", "policy_may_expose_several"] as const);
    return exposed(policy, more === 0 ? because(one, { device }) : because(several, { device, more }));
  });
}

const exposed = ({ id }: IntentPolicy, why: Reason): Finding => finding({ kind: "exposed", policy_id: id }, why);
