import type { SourceType } from "@portcullis/contract/subsystems/routing";

/** From the most to the least specific: among equal priorities the narrower source is heard first. */
export const specificity: readonly SourceType[] = [
  "device",
  "device_group",
  "domain",
  "destination",
  "subnet",
  "vlan",
  "interface",
  "all",
];

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
