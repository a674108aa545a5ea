import { writeBytesAtomically } from "../../system/bulk-files.ts";
import { fileVersion } from "../dnsdist/filter-policy.render.ts";
import { cdbDraft } from "../dnsdist/cdb.render.ts";
import { listedNames } from "./listed-names.ts";
import type { WantedList } from "./lists.model.ts";
import { readFile } from "./fetch.ts";
import type { Found } from "./text.parse.ts";

/** All lists that are kept, into one file that can be searched. */
export interface BuildTask {
  readonly kind: "build";
  readonly lists: readonly (Pick<WantedList, "id" | "bit" | "action" | "format"> & { readonly path: string })[];
  readonly ownNames: readonly string[];
  readonly maxNames: number;
  readonly path: string;
}

export interface BuildAnswer {
  readonly names: number;
  readonly bytes: number;
  readonly found: readonly (Found & { readonly id: string })[];
}

export function buildLists({ lists, ownNames, maxNames, path }: BuildTask): BuildAnswer {
  const names = listedNames({ maxNames });
  const found = lists.map(({ id, bit, action, ...file }) => ({
    id,
    ...readFile({ ...file, ownNames, emit: (entry) => names.add(entry, bit, action) }),
  }));
  const draft = cdbDraft();
  draft.add(fileVersion.key, fileVersion.key.length, fileVersion.value, fileVersion.value.length);
  names.forEach(draft.add);
  const bytes = draft.finish();
  writeBytesAtomically(path, bytes);
  return { names: names.size(), bytes: bytes.length, found };
}
