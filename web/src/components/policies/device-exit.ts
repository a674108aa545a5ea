import type { Hop, Policy } from "@portcullis/contract/subsystems/routing";
import { inOrder, nameFor, priorityFor } from "./order.ts";

/** Where all traffic of a device should leave. */
export type Exit =
  | { readonly kind: "tunnel"; readonly id: string; readonly fail: "fail-closed" | "fail-open" }
  | { readonly kind: "direct" | "blocked" };

type Fields = Pick<Policy, "hops" | "fail_policy" | "splitting" | "profile_id" | "priority" | "enabled">;

/** The policy that has to be written, and the first one that it has to precede. */
export type ExitChange =
  | { readonly kind: "update"; readonly id: string; readonly name: string; readonly body: Fields }
  | {
      readonly kind: "create";
      readonly name: string;
      readonly body: Fields & Pick<Policy, "name" | "source_type" | "source_value">;
    };

interface Known {
  readonly device: { readonly id: string; readonly name: string };
  readonly exit: Exit;
  /** As they are staged. */
  readonly policies: readonly Policy[];
  /** The policy that decides for the device now. */
  readonly decidingId: string | null;
}

/**
 * A device has one policy of its own for its exit: the first one with this device as its source. Policies for
 * destinations and domains keep their place: they are exceptions from it.
 */
export function exitChange({ device, exit, policies, decidingId }: Known): ExitChange {
  const isOwn = ({ source_type, source_value }: Policy) =>
    source_type === "device" && (source_value === device.id || source_value === device.name);
  const own = inOrder(policies).find(isOwn);
  const deciding = policies.find(({ id }) => id === decidingId);
  const before = (priority: number) =>
    deciding && !isOwn(deciding) ? Math.min(priority, deciding.priority) : priority;
  const path = { ...pathOf(exit), splitting: false, profile_id: null, enabled: true };
  if (own) return { kind: "update", id: own.id, name: own.name, body: { ...path, priority: before(own.priority) } };
  const taken = new Set(policies.map(({ name }) => name));
  // Without the exit: the policy keeps its name when the exit changes.
  const name = nameFor(device.name, [], taken);
  return {
    kind: "create",
    name,
    body: {
      ...path,
      name,
      source_type: "device",
      source_value: device.id,
      priority: before(priorityFor("device", policies)),
    },
  };
}

function pathOf(exit: Exit): { hops: Hop[]; fail_policy: Policy["fail_policy"] } {
  if (exit.kind === "tunnel") return { hops: [{ type: "vpn", target: exit.id }], fail_policy: exit.fail };
  // A policy without hops behaves as if its hops were down.
  return { hops: [], fail_policy: exit.kind === "direct" ? "fail-open" : "fail-closed" };
}
