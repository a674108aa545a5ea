import type { Listed, ListLookup } from "./filter-policy.model.ts";
import { fileVersion } from "./filter-policy.render.ts";
import type { Cdb } from "./cdb.parse.ts";
import { cdbDraft, writeUint32 } from "./cdb.render.ts";
import { wireOf, writeWire } from "./name.model.ts";

/** The file `lists.cdb`, filled name by name. */
export interface ListsDraft {
  /** Answers whether that is a name. Each may be added once. */
  readonly add: (name: string, exact: number, below: number, allowExact: number, allowBelow: number) => boolean;
  readonly finish: () => Uint8Array<ArrayBuffer>;
}

export function listsDraft(): ListsDraft {
  const draft = cdbDraft();
  const key = new Uint8Array(255);
  const value = new Uint8Array(16);
  draft.add(fileVersion.key, fileVersion.key.length, fileVersion.value, fileVersion.value.length);
  return {
    add: (name, exact, below, allowExact, allowBelow) => {
      const length = writeWire(name, key);
      if (length <= 1) return false;
      writeUint32(value, 0, exact);
      writeUint32(value, 4, below);
      writeUint32(value, 8, allowExact);
      writeUint32(value, 12, allowBelow);
      draft.add(key, length, value, (allowExact | allowBelow) === 0 ? 8 : 16);
      return true;
    },
    finish: draft.finish,
  };
}

export function renderLists(names: Iterable<readonly [string, Listed]>): Uint8Array<ArrayBuffer> {
  const draft = listsDraft();
  for (const [name, { exact, below, allowExact, allowBelow }] of names) {
    draft.add(name, exact, below, allowExact, allowBelow);
  }
  return draft.finish();
}

/** Looks names up in that file. */
export function listLookup(lists: Cdb): ListLookup {
  return (name) => {
    const key = wireOf(name);
    const value = key && lists.find(key);
    if (!value || (value.length !== 8 && value.length !== 16)) return undefined;
    const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
    const bits = (at: number): number => (at < value.length ? view.getUint32(at, true) : 0);
    return { exact: bits(0), below: bits(4), allowExact: bits(8), allowBelow: bits(12) };
  };
}
