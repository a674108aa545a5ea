import { writeUint32 } from "../dnsdist/cdb.render.ts";
import { writeWire } from "../dnsdist/name.model.ts";
import type { Entry } from "./lists.model.ts";

/** What all lists say, by name. Held in a few large arrays: two million names take about 100 MB, not a gigabyte of objects. */
export interface ListedNames {
  add(entry: Entry, bit: number, action: "block" | "allow"): void;
  readonly size: () => number;
  /** Keys in wire form and values as in lists.cdb. Both are in buffers that the next one overwrites. */
  forEach(visit: (key: Uint8Array, keyLength: number, value: Uint8Array, valueLength: number) => void): void;
}

export function listedNames({ maxNames = 16_000_000 }: { readonly maxNames?: number } = {}): ListedNames {
  let wires = new Uint8Array(1 << 20);
  let wiresEnd = 0;
  /** Where the n-th name is in `wires`; one more than there are names. */
  let starts = new Uint32Array(1 << 16);
  let count = 0;
  /** Open addressing: number of a name plus one, zero where there is none. */
  let slots = new Uint32Array(1 << 17);
  /** Per name: exact, below, allowed exact, allowed below. */
  let masks = new Uint32Array(4 << 16);
  const wire = new Uint8Array(255);

  function add({ name, scope, isException }: Entry, bit: number, action: "block" | "allow"): void {
    const length = writeWire(name, wire);
    const at = 4 * numberOf(length) + (isException || action === "allow" ? 2 : 0);
    const mask = (1 << bit) >>> 0;
    if (scope !== "below") masks[at] = (masks[at]! | mask) >>> 0;
    if (scope !== "exact") masks[at + 1] = (masks[at + 1]! | mask) >>> 0;
  }

  function numberOf(length: number): number {
    const last = slots.length - 1;
    let slot = hashOf(wire, 0, length) & last;
    for (; slots[slot] !== 0; slot = (slot + 1) & last) if (isSame(slots[slot]! - 1, length)) return slots[slot]! - 1;
    if (count >= maxNames) throw new Error(`The lists together have more than ${maxNames} names`);
    ensureCapacity(length);
    for (let at = 0; at < length; at++) wires[wiresEnd + at] = wire[at]!;
    wiresEnd += length;
    starts[count + 1] = wiresEnd;
    slots[slot] = count + 1;
    count += 1;
    if (count * 2 > slots.length) spreadOut();
    return count - 1;
  }

  function isSame(number: number, length: number): boolean {
    const start = starts[number]!;
    if (starts[number + 1]! - start !== length) return false;
    for (let at = 0; at < length; at++) if (wires[start + at] !== wire[at]) return false;
    return true;
  }

  function ensureCapacity(length: number): void {
    if (wiresEnd + length > wires.length) wires = grown(wires, Uint8Array);
    if (count + 2 > starts.length) starts = grown(starts, Uint32Array);
    if (4 * (count + 1) > masks.length) masks = grown(masks, Uint32Array);
  }

  function spreadOut(): void {
    slots = new Uint32Array(slots.length * 2);
    const last = slots.length - 1;
    for (let number = 0; number < count; number++) {
      let slot = hashOf(wires, starts[number]!, starts[number + 1]!) & last;
      while (slots[slot] !== 0) slot = (slot + 1) & last;
      slots[slot] = number + 1;
    }
  }

  function forEach(visit: Parameters<ListedNames["forEach"]>[0]): void {
    const value = new Uint8Array(16);
    for (let number = 0; number < count; number++) {
      const start = starts[number]!;
      const length = starts[number + 1]! - start;
      for (let at = 0; at < length; at++) wire[at] = wires[start + at]!;
      for (let place = 0; place < 4; place++) writeUint32(value, 4 * place, masks[4 * number + place]!);
      const isShort = masks[4 * number + 2] === 0 && masks[4 * number + 3] === 0;
      visit(wire, length, value, isShort ? 8 : 16);
    }
  }

  return { add, size: () => count, forEach };
}

/** FNV-1a, and mixed once more because only its lowest bits are used. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function grown<T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(
  full: T,
  make: new (length: number) => T,
): T {
  const larger = new make(full.length * 2);
  larger.set(full);
  return larger;
}
