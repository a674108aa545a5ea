/**
 * D. J. Bernstein's constant database: one file that programs map and search without reading it. Callers with millions
 * of names fills a draft through two buffers of its own, so that nothing is left behind for each of them.
 */
export interface CdbDraft {
  /** Of two entries with one key the first is found. */
  readonly add: (key: Uint8Array, keyLength: number, value: Uint8Array, valueLength: number) => void;
  /** Every byte of the file. The draft is used up by it. */
  readonly finish: () => Uint8Array<ArrayBuffer>;
}

export interface CdbEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export function renderCdb(entries: Iterable<CdbEntry>): Uint8Array<ArrayBuffer> {
  const draft = cdbDraft();
  for (const { key, value } of entries) draft.add(key, key.length, value, value.length);
  return draft.finish();
}

const headBytes = 2048;
const tableCount = 256;
const mostBytes = 0xffff_ffff;

export function cdbDraft(): CdbDraft {
  let bytes = new Uint8Array(1 << 16);
  let end = headBytes;
  let hashes = new Uint32Array(1 << 10);
  let positions = new Uint32Array(1 << 10);
  let count = 0;

  function ensureCapacity(more: number): void {
    if (end + more <= bytes.length) return;
    if (end + more > mostBytes) throw new RangeError("a constant database ends at 4 GiB");
    const wider = new Uint8Array(Math.min(mostBytes, Math.max(bytes.length * 2, end + more)));
    wider.set(bytes.subarray(0, end));
    bytes = wider;
  }

  return {
    add: (key, keyLength, value, valueLength) => {
      ensureCapacity(8 + keyLength + valueLength);
      if (count === hashes.length) {
        hashes = doubled(hashes);
        positions = doubled(positions);
      }
      hashes[count] = hashOf(key, keyLength);
      positions[count] = end;
      count += 1;
      writeUint32(bytes, end, keyLength);
      writeUint32(bytes, end + 4, valueLength);
      end += 8;
      for (let at = 0; at < keyLength; at += 1) bytes[end + at] = key[at]!;
      end += keyLength;
      for (let at = 0; at < valueLength; at += 1) bytes[end + at] = value[at]!;
      end += valueLength;
    },
    finish: () => {
      ensureCapacity(count * 16);
      end = writeTables(bytes, end, hashes.subarray(0, count), positions.subarray(0, count));
      return bytes.subarray(0, end);
    },
  };
}

/** The last table ends where the file does: a reader sees by that whether some of it is missing. */
function writeTables(bytes: Uint8Array, from: number, hashes: Uint32Array, positions: Uint32Array): number {
  const starts = new Uint32Array(tableCount + 1);
  for (const hash of hashes) starts[(hash & 255) + 1]! += 1;
  for (let table = 0; table < tableCount; table += 1) starts[table + 1]! += starts[table]!;
  for (let table = 0; table < tableCount; table += 1) {
    writeUint32(bytes, table * 8, from + starts[table]! * 16);
    writeUint32(bytes, table * 8 + 4, (starts[table + 1]! - starts[table]!) * 2);
  }
  const slots = new Uint32Array(hashes.length * 4);
  for (let entry = 0; entry < hashes.length; entry += 1) {
    const hash = hashes[entry]!;
    const first = starts[hash & 255]! * 2;
    const size = starts[(hash & 255) + 1]! * 2 - first;
    let slot = (hash >>> 8) % size;
    while (slots[(first + slot) * 2 + 1] !== 0) slot = slot + 1 === size ? 0 : slot + 1;
    slots[(first + slot) * 2] = hash;
    slots[(first + slot) * 2 + 1] = positions[entry]!;
  }
  for (let at = 0; at < slots.length; at += 1) writeUint32(bytes, from + at * 4, slots[at]!);
  return from + slots.length * 4;
}

function doubled(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(numbers.length * 2);
  wider.set(numbers);
  return wider;
}

export function hashOf(key: Uint8Array, length: number): number {
  let hash = 5381;
  for (let at = 0; at < length; at += 1) hash = Math.imul(hash, 33) ^ key[at]!;
  return hash >>> 0;
}

export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}
