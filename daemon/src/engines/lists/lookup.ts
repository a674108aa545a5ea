import { openForSearch, type SearchedFile } from "../../system/bulk-files.ts";
import type { ListLookup } from "../dnsdist/filter-policy.model.ts";
import type { Cdb } from "../dnsdist/cdb.parse.ts";
import { hashOf } from "../dnsdist/cdb.render.ts";
import { listLookup } from "../dnsdist/lists.render.ts";

/** Looks names up in what was built without having it in memory: a few small reads each. */
export interface BuiltLookup {
  readonly lookup: ListLookup;
  close(): void;
}

/** Nothing when there is no such file. */
export function openLookup(path: string): BuiltLookup | undefined {
  const file = openForSearch(path);
  return file && { lookup: listLookup({ find: (key) => find(file, key) }), close: () => file.close() };
}

function find(file: SearchedFile, key: Uint8Array): ReturnType<Cdb["find"]> {
  const hash = hashOf(key, key.length);
  const [table = 0, size = 0] = pairAt(file, (hash & 255) * 8);
  for (let tried = 0; tried < size; tried++) {
    const [slotHash, position = 0] = pairAt(file, table + (((hash >>> 8) + tried) % size) * 8);
    if (position === 0) return undefined;
    const value = slotHash === hash ? valueAt(file, position, key) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

function valueAt(file: SearchedFile, position: number, key: Uint8Array): Uint8Array | undefined {
  const [keyLength, valueLength = 0] = pairAt(file, position);
  if (keyLength !== key.length || valueLength > mostValueBytes) return undefined;
  const record = file.readAt(position + 8, keyLength + valueLength);
  return key.every((byte, at) => record[at] === byte) ? record.subarray(keyLength) : undefined;
}

const mostValueBytes = 16;

/** Two numbers, little endian; none behind the end of the file. */
function pairAt(file: SearchedFile, position: number): readonly number[] {
  const bytes = file.readAt(position, 8);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return bytes.length < 8 ? [] : [view.getUint32(0, true), view.getUint32(4, true)];
}
