import { specificity } from "@portcullis/contract/policy-order";
import type { Policy, SourceType } from "@portcullis/contract/subsystems/routing";

export type Ordered = Pick<Policy, "id" | "priority" | "source_type">;

const rank = new Map(specificity.map((type, index) => [type, index]));

export const compare = (a: Ordered, b: Ordered): number =>
  a.priority - b.priority ||
  rank.get(a.source_type)! - rank.get(b.source_type)! ||
  (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** The order of evaluation, the same as in the gateway. */
export const inOrder = <P extends Ordered>(policies: readonly P[]): P[] => policies.toSorted(compare);

/**
 * Before the first wider policy and after all equally narrow ones: a policy for a device behind one for all devices would
 * never match. Among equal priorities the narrower is evaluated first, so a free position always exists.
 */
export function priorityFor(type: SourceType, policies: readonly Ordered[]): number {
  const ordered = inOrder(policies);
  const isWider = (policy: Ordered) => specificity.indexOf(policy.source_type) > specificity.indexOf(type);
  const index = ordered.findIndex(isWider);
  const wider = ordered[index];
  const before = (wider ? ordered[index - 1] : ordered.at(-1))?.priority;
  if (!wider) return Math.min((before ?? 0) + 10, 1_000_000);
  return Math.max(before ?? 0, wider.priority - 10);
}

/** Names are unique and have this maximum length. */
const longest = 120;

export function nameFor(who: string, through: readonly string[], taken: ReadonlySet<string>): string {
  const name = [who, ...through].join(" → ").slice(0, longest - 6);
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}
