import { specificity } from "@portcullis/contract/policy-order";
import type { SourceType } from "@portcullis/contract/subsystems/routing";

interface Ordered {
  readonly id: string;
  readonly priority: number;
  readonly sourceType: SourceType;
}

/** Lower priority number first, then the more specific source, then the id. Compiler, evaluator and lists share it. */
export const inOrder = <P extends Ordered>(policies: readonly P[]): P[] => policies.toSorted(byOrder);

export function byOrder(a: Ordered, b: Ordered): number {
  return (
    a.priority - b.priority ||
    specificity.indexOf(a.sourceType) - specificity.indexOf(b.sourceType) ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  );
}
