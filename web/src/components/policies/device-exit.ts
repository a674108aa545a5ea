import type { Hop, Policy } from "@portcullis/contract/subsystems/routing";
import { compare, inOrder, nameFor, priorityFor } from "./order.ts";

/** Where all traffic of a device should leave. */
export type Exit =
  | { readonly kind: "tunnel"; readonly id: string; readonly fail: "fail-closed" | "fail-open" }
  | { readonly kind: "direct" | "blocked" };

type Fields = Pick<Policy, "hops" | "fail_policy" | "splitting" | "profile_id" | "priority" | "enabled">;

/** The policy that has to be written. */
export type ExitChange = {
  readonly name: string;
  /** Names of the policies of the device that still decide before it while their schedules are active. */
  readonly scheduled: readonly string[];
} & (
  | { readonly kind: "update"; readonly id: string; readonly body: Fields }
  | {
      readonly kind: "create";
      readonly body: Fields & Pick<Policy, "name" | "source_type" | "source_value">;
    }
);

interface Known {
  readonly device: { readonly id: string; readonly name: string };
  readonly exit: Exit;
  /** As they are staged. */
  readonly policies: readonly Policy[];
  /** The policy that decides for the device now. */
  readonly decidingId: string | null;
}

/**
 * A device has one policy of its own for its exit: the first one with this device as its source that always applies. One with
 * a schedule is an exception from it, as policies for destinations and domains are, and keeps its place.
 */
export function exitChange({ device, exit, policies, decidingId }: Known): ExitChange {
  const owned = inOrder(policies.filter((it) => isOf(device, it)));
  const own = owned.find(({ schedule_id }) => !schedule_id);
  const scheduled = owned.filter(({ schedule_id }) => schedule_id);
  const wanted = own?.priority ?? scheduled.at(-1)?.priority ?? priorityFor("device", policies);
  const taken = new Set(owned.filter((it) => it !== own).map(({ priority }) => priority));
  const latest = latestOf({ device, exit, policies, decidingId }, own);
  const priority = freeAt(Math.min(wanted, latest), taken, policies);
  const fields = { ...pathOf(exit), splitting: false, profile_id: null, enabled: true, priority };
  const before = scheduled.filter((it) => it.enabled && it.priority < priority).map(({ name }) => name);
  if (own) return { kind: "update", id: own.id, name: own.name, scheduled: before, body: fields };
  const names = new Set(policies.map(({ name }) => name));
  // Without the exit: the policy keeps its name when the exit changes.
  const name = nameFor(device.name, [], names);
  const body = { ...fields, name, source_type: "device" as const, source_value: device.id };
  return { kind: "create", name, scheduled: before, body };
}

/** Whether one of these devices has a policy with a schedule, which may decide before what is written. */
export function haveScheduled(devices: readonly Known["device"][], policies: readonly Policy[]): boolean {
  const values = new Set(devices.flatMap(({ id, name }) => [id, name]));
  return policies.some(
    (it) => it.enabled && it.schedule_id && it.source_type === "device" && values.has(it.source_value),
  );
}

const isOf = (device: Known["device"], { source_type, source_value }: Policy): boolean =>
  source_type === "device" && (source_value === device.id || source_value === device.name);

/** A policy that may decide for all traffic of a device, and is wider than one for it. */
const isGeneral = ({ source_type, enabled }: Policy): boolean =>
  enabled && source_type !== "device" && source_type !== "domain" && source_type !== "destination";

/** The last priority with which a policy of the device is before the policy that would decide otherwise. */
function latestOf({ device, policies, decidingId }: Known, own: Policy | undefined): number {
  const deciding = policies.find(({ id }) => id === decidingId);
  if (deciding && !isOf(device, deciding)) return deciding.priority;
  if (own && !deciding?.schedule_id) return Number.POSITIVE_INFINITY;
  // Which one decides when the schedule ends is not known here: it could be the first of them.
  const next = inOrder(policies).find((it) => isGeneral(it) && (!deciding || compare(deciding, it) < 0));
  return next?.priority ?? Number.POSITIVE_INFINITY;
}

const last = 1_000_000;

/** Two policies of a device with the same priority contradict each other. Later if no wider policy gets before it, or else earlier. */
function freeAt(priority: number, taken: ReadonlySet<number>, policies: readonly Policy[]): number {
  let later = priority;
  while (taken.has(later)) later += 1;
  const isPassed = policies.some((it) => isGeneral(it) && it.priority >= priority && it.priority < later);
  if (!isPassed && later <= last) return later;
  let earlier = priority;
  while (taken.has(earlier)) earlier -= 1;
  return earlier >= 0 ? earlier : later;
}

function pathOf(exit: Exit): { hops: Hop[]; fail_policy: Policy["fail_policy"] } {
  if (exit.kind === "tunnel") return { hops: [{ type: "vpn", target: exit.id }], fail_policy: exit.fail };
  // A policy without hops behaves as if its hops were down.
  return { hops: [], fail_policy: exit.kind === "direct" ? "fail-open" : "fail-closed" };
}
