import type { ConfigPlan } from "@portcullis/contract/subsystems/configuration";
import type { Difference } from "@portcullis/contract/subsystems/history";

const words = { create: "added", change: "changed", delete: "removed" } as const;

/** The changes of a plan in the form of differences between snapshots. A document identifies resources by name. */
export const differencesOf = (changes: ConfigPlan["changes"]): Difference[] =>
  changes.map(({ kind, section, name, action, fields }) => ({
    kind,
    id: `${section} ${name}`,
    name,
    change: words[action],
    fields,
  }));
