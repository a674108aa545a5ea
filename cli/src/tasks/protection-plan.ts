import { specificity } from "@portcullis/contract/policy-order";
import type { FailPolicy, Hop, Policy } from "./policy.ts";

export interface Wanted {
  readonly device: { readonly id: string; readonly name: string };
  readonly hops: readonly Hop[];
  readonly failPolicy: FailPolicy;
  /** The policy that the device's own one shall precede. */
  readonly before?: Policy;
}

/** What has to be written so that the device's own policy sends it through the hops. */
export type Plan =
  | {
      readonly kind: "create";
      readonly body: PolicyBody & { readonly source_type: "device"; readonly source_value: string };
    }
  | { readonly kind: "update"; readonly policy: Policy; readonly body: PolicyBody }
  | { readonly kind: "unchanged"; readonly policy: Policy }
  /** Several policies are the device's own: only the operator knows which of them to change. */
  | { readonly kind: "several"; readonly policies: readonly Policy[] };

export interface PolicyBody {
  readonly name: string;
  readonly priority: number;
  readonly enabled: true;
  readonly hops: Hop[];
  readonly fail_policy: FailPolicy;
  readonly splitting: false;
  readonly profile_id: null;
  /** Protected at all times. */
  readonly schedule_id: null;
}

const defaultPriority = 100;

/** Creates the device's own policy, or changes the only one that it has. */
export function planProtection({ device, hops, failPolicy, before }: Wanted, policies: readonly Policy[]): Plan {
  const own = policies.filter((it) => it.source_type === "device" && it.source_value === device.id);
  if (own.length > 1) return { kind: "several", policies: own };
  const [policy] = own;
  const body: PolicyBody = {
    name: policy === undefined || isGivenName(policy, device.name) ? nameFor(device.name, hops) : policy.name,
    priority: Math.min(policy?.priority ?? defaultPriority, before?.priority ?? Infinity),
    enabled: true,
    hops: [...hops],
    fail_policy: failPolicy,
    splitting: false,
    profile_id: null,
    schedule_id: null,
  };
  if (policy === undefined)
    return { kind: "create", body: { ...body, source_type: "device", source_value: device.id } };
  return isSame(policy, body) ? { kind: "unchanged", policy } : { kind: "update", policy, body };
}

/** The fields to write so that a policy is again as it was. */
export const fieldsToRestore = (policy: Policy) => {
  const { name, priority, enabled, hops, fail_policy, splitting, profile_id, schedule_id = null } = policy;
  return { name, priority, enabled, hops: [...hops], fail_policy, splitting, profile_id, schedule_id };
};

/**
 * Enabled policies that are evaluated before one and may match some packets of its device: those for destinations and
 * domains always may, those for a group if the device is in it.
 */
export const policiesBefore = (
  { id, priority }: Pick<Policy, "id" | "priority">,
  policies: readonly Policy[],
  groupIds: readonly string[],
): Policy[] =>
  policies
    .filter((it) => it.id !== id && it.enabled && it.priority < priority)
    .filter(
      (it) => it.source_type !== "device" && (it.source_type !== "device_group" || groupIds.includes(it.source_value)),
    )
    .toSorted(
      (a, b) => a.priority - b.priority || specificity.indexOf(a.source_type) - specificity.indexOf(b.source_type),
    );

const longestName = 120;
const nameFor = (device: string, hops: readonly Hop[]): string =>
  `${device} via ${hops.map(({ target }) => target).join(", ")}`.slice(0, longestName).toWellFormed().trimEnd();

/** Whether a policy still has the name that this command gave it: another path gets another name. */
const isGivenName = ({ name, hops }: Policy, device: string): boolean => name === nameFor(device, hops);

const isSame = (policy: Policy, body: PolicyBody): boolean =>
  Object.entries(body).every(([field, value]) =>
    field === "hops"
      ? JSON.stringify(policy.hops.map(({ type, target }) => [type, target])) ===
        JSON.stringify(body.hops.map(({ type, target }) => [type, target]))
      : (policy[field as keyof Policy] ?? null) === value,
  );
