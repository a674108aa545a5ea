import type { Policy } from "@portcullis/contract/subsystems/routing";
import { inOrder } from "../../components/policies/order.ts";

/**
 * The policy that decides at the latest after the removal: the next one that matches all of its traffic. Policies
 * between them may decide about parts of it.
 */
export function successorOf(
  policy: Policy,
  policies: readonly Policy[],
  groupsOfDevice: readonly string[],
): Policy | undefined {
  const ordered = inOrder(policies);
  const index = ordered.findIndex(({ id }) => id === policy.id);
  return ordered.slice(index + 1).find((other) => {
    if (!other.enabled) return false;
    if (other.source_type === "all") return true;
    if (other.source_type === policy.source_type) return other.source_value === policy.source_value;
    return (
      policy.source_type === "device" &&
      other.source_type === "device_group" &&
      groupsOfDevice.includes(other.source_value)
    );
  });
}
