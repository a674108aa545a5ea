import { hashOf } from "./cdb.render.ts";

/** A constant database that can be searched. */
export interface Cdb {
  /** The value of the first entry with that key: a view, not a copy. */
  readonly find: (key: Uint8Array, keyLength?: number) => Uint8Array | undefined;
}

const headBytes = 2048;

/** Nothing if a table is not where its head says, as in a file that is cut short. */
export function parseCdb(bytes: Uint8Array): Cdb | undefined {
  if (bytes.length < headBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const uint32 = (at: number): number => view.getUint32(at, true);
  for (let head = 0; head < headBytes; head += 8) {
    if (uint32(head) + uint32(head + 4) * 8 > bytes.length) return undefined;
  }

  function valueAt(position: number, key: Uint8Array, keyLength: number): Uint8Array | undefined {
    if (position + 8 + keyLength > bytes.length || uint32(position) !== keyLength) return undefined;
    for (let at = 0; at < keyLength; at += 1) if (bytes[position + 8 + at] !== key[at]) return undefined;
    const start = position + 8 + keyLength;
    const end = start + uint32(position + 4);
    return end > bytes.length ? undefined : bytes.subarray(start, end);
  }

  return {
    find: (key, keyLength = key.length) => {
      const hash = hashOf(key, keyLength);
      const table = uint32((hash & 255) * 8);
      const size = uint32((hash & 255) * 8 + 4);
      for (let tried = 0; tried < size; tried += 1) {
        const slot = table + (((hash >>> 8) + tried) % size) * 8;
        const position = uint32(slot + 4);
        if (position === 0) return undefined;
        const value = uint32(slot) === hash ? valueAt(position, key, keyLength) : undefined;
        if (value) return value;
      }
      return undefined;
    },
  };
}
