/** FNV-1a with the finalizer of MurmurHash3: short and similar names spread evenly. */
export function hashOf(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ (text.charCodeAt(index) & 0xff), 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Bits that an element sets in a Bloom filter. */
const bloomBits = 4;

export const hasElement = (filter: Uint8Array, hash: number): boolean =>
  positions(filter, hash).every((bit) => (filter[bit >> 3]! & (1 << (bit & 7))) !== 0);

export function addElement(filter: Uint8Array, hash: number): void {
  for (const bit of positions(filter, hash)) filter[bit >> 3]! |= 1 << (bit & 7);
}

/** Double hashing (Kirsch and Mitzenmacher): two hashes are as good as independent ones. */
function positions(filter: Uint8Array, hash: number): number[] {
  const size = filter.length * 8;
  // The upper bits: the lower ones are those of the first position.
  const step = (hash >>> 13) | 1;
  return Array.from({ length: bloomBits }, (_, n) => ((hash + Math.imul(n, step)) >>> 0) % size);
}

/** Adds an element to a bitmap of linear counting. */
export function addDistinct(words: Uint32Array, hash: number): void {
  const bit = hash % (words.length * 32);
  words[bit >> 5]! |= 1 << (bit & 31);
}

/** The number of different elements that were added, estimated; a full bitmap returns the largest number it can tell. */
export function distinctIn(words: Uint32Array): number {
  const size = words.length * 32;
  let empty = 0;
  for (const word of words) empty += 32 - bitsOf(word);
  return size * Math.log(size / Math.max(1, empty));
}

function bitsOf(word: number): number {
  let left = word >>> 0;
  let count = 0;
  for (; left !== 0; left &= left - 1) count += 1;
  return count;
}

/** What is left of a maximum after some time. Old peaks lose their weight, and a baseline follows a device. */
export const decayed = (value: number, elapsedMs: number, halfLifeMs: number): number =>
  elapsedMs <= 0 ? value : value * 2 ** (-elapsedMs / halfLifeMs);
