/** One answer of a frontend, from its log. */
export interface LogRecord {
  /** Of the answer, in milliseconds since 1970. */
  readonly atMs: number;
  /** From query to answer; 0 if unknown. */
  readonly latencyUs: number;
  /** Address of the client. IPv6 in the spelling of RFC 5952. */
  readonly client: string;
  /** Lower case, without a dot at its end; the root is a dot. */
  readonly name: string;
  /** Numbers of RFC 1035. */
  readonly type: number;
  readonly rcode: number;
  /** Number of the frontend. */
  readonly resolver: number;
  readonly side: Side;
  readonly verdict: LogVerdict;
  readonly by: LogDecider | null;
  /** Addresses and aliases in the answer. */
  readonly answers: number;
  /** The addresses in the answer. */
  readonly addresses: readonly string[];
}

/** The source of the answer: a server behind the frontend, its cache, or itself; `up` is a query of Unbound to an upstream. */
export type Side = "front" | "cache" | "self" | "up";

export type LogVerdict = "none" | "allow" | "block" | "rewrite" | "cname" | "rebind";

/** By its index in the filter policy of that revision; null: unknown, from a script of an earlier daemon. */
export type LogDecider = { readonly revision: number | null } & (
  | { readonly kind: "rule"; readonly index: number }
  | { readonly kind: "list"; readonly bit: number }
);

export type Decoded =
  | { readonly kind: "answer"; readonly record: LogRecord }
  /** Valid, but not an answer: a query, or another program's message. */
  | { readonly kind: "other" }
  | { readonly kind: "garbage" };

/** The frames in what has arrived: two bytes say how long each is. `rest` is where the first incomplete one begins. */
export function framesOf(bytes: Uint8Array): { readonly frames: readonly Frame[]; readonly rest: number } {
  const frames: Frame[] = [];
  let at = 0;
  while (at + lengthBytes <= bytes.length) {
    const end = at + lengthBytes + (bytes[at]! << 8) + bytes[at + 1]!;
    if (end > bytes.length) break;
    frames.push({ start: at + lengthBytes, end });
    at = end;
  }
  return { frames, rest: at };
}

/** From one place up to, but not including, another. */
export interface Frame {
  readonly start: number;
  readonly end: number;
}

const lengthBytes = 2;

/**
 * A message in the form of dnsdist's dnsmessage.proto. It is read by hand because thousands come in a second. Every
 * length is held against the end of what holds it, so whatever the bytes are, nothing outside of them is read.
 */
export function decodeMessage(bytes: Uint8Array, { start, end }: Frame): Decoded {
  const found = { ...nothingFound };
  if (!eachField(bytes, start, end, found, readMessage) || found.type === 0) return garbage;
  const { front, client, name } = found;
  if (found.type !== responseType || front === undefined || client === undefined || name === undefined) return other;
  const queriedMs = found.querySec * 1000 + found.queryUsec / 1000;
  const atMs = found.sec * 1000 + found.usec / 1000;
  const latencyUs = found.querySec === 0 ? 0 : Math.round((atMs - queriedMs) * 1000);
  return {
    kind: "answer",
    record: {
      atMs: Math.floor(atMs),
      latencyUs: Math.max(0, latencyUs),
      client,
      name,
      type: found.qtype,
      rcode: found.rcode,
      resolver: front.resolver,
      side: front.side,
      verdict: found.verdict,
      by: found.by,
      answers: found.answers,
      addresses: found.addresses,
    },
  };
}

const other: Decoded = { kind: "other" };
const garbage: Decoded = { kind: "garbage" };
const responseType = 2;

interface Found {
  type: number;
  sec: number;
  usec: number;
  querySec: number;
  queryUsec: number;
  client: string | undefined;
  front: { readonly resolver: number; readonly side: Side } | undefined;
  name: string | undefined;
  qtype: number;
  rcode: number;
  answers: number;
  addresses: readonly string[];
  recordType: number;
  verdict: LogVerdict;
  by: LogDecider | null;
}

const nothingFound: Found = {
  type: 0,
  sec: 0,
  usec: 0,
  querySec: 0,
  queryUsec: 0,
  client: undefined,
  front: undefined,
  name: undefined,
  qtype: 0,
  rcode: 0,
  answers: 0,
  addresses: [],
  recordType: 0,
  verdict: "none",
  by: null,
};

/** What one field says. A number has its value; bytes have their place. False: it cannot be. */
type Reader = (field: number, value: number, bytes: Uint8Array, start: number, end: number, found: Found) => boolean;

/** A field that comes twice counts as it came last, as everywhere in this format: dnsdist does it with the time. */
const readMessage: Reader = (field, value, bytes, start, end, found) => {
  switch (field) {
    case 1:
      found.type = value;
      return true;
    case 3:
      found.front = frontOf(textOf(bytes, start, end));
      return true;
    case 6:
      found.client = addressOf(bytes, start, end);
      return true;
    case 9:
      found.sec = value;
      return true;
    case 10:
      found.usec = value;
      return true;
    case 12:
      return eachField(bytes, start, end, found, readQuerySection);
    case 13:
      return eachField(bytes, start, end, found, readResponse);
    default:
      return true;
  }
};

const readQuerySection: Reader = (field, value, bytes, start, end, found) => {
  if (field === 2) found.qtype = value;
  if (field !== 1) return true;
  if (end - start > longestName) return false;
  found.name = nameOf(textOf(bytes, start, end));
  return true;
};

const readResponse: Reader = (field, value, bytes, start, end, found) => {
  switch (field) {
    case 1:
      found.rcode = value;
      return true;
    case 2:
      found.answers++;
      return eachField(bytes, start, end, found, readRecord);
    case 4:
      readTag(textOf(bytes, start, end), found);
      return true;
    case 5:
      found.querySec = value;
      return true;
    case 6:
      found.queryUsec = value;
      return true;
    default:
      return true;
  }
};

/** One record of the answer; its type comes before its data. */
const readRecord: Reader = (field, value, bytes, start, end, found) => {
  if (field === 2) found.recordType = value;
  const length = { 1: 4, 28: 16 }[found.recordType];
  if (field !== 5 || end - start !== length || found.addresses.length >= maxAddresses) return true;
  const address = addressOf(bytes, start, end);
  if (address !== undefined) found.addresses = [...found.addresses, address];
  return true;
};
const maxAddresses = 16;

/** `v:block`, `r:12`, `l:3`. Tags that are none of ours are no business of ours. */
function readTag(tag: string, found: Found): void {
  const word = tag.slice(2);
  if (tag.startsWith("v:")) found.verdict = verdicts.get(word) ?? found.verdict;
  else if (tag.startsWith("r:") || tag.startsWith("l:")) {
    const [, place, revision] = placeForm.exec(word) ?? [];
    if (place === undefined) return;
    const of = { revision: revision === undefined ? null : Number(revision) };
    found.by = tag.startsWith("r:")
      ? { kind: "rule", index: Number(place), ...of }
      : { kind: "list", bit: Number(place), ...of };
  }
}

/** An index, and the revision of the filter policy it refers to. */
const placeForm = /^(\d{1,10})(?:@(\d{1,10}))?$/;
const verdicts: ReadonlyMap<string, LogVerdict> = new Map(
  (["allow", "block", "rewrite", "cname", "rebind"] as const).map((word) => [word, word]),
);

/** `7:cache`. */
function frontOf(identity: string): Found["front"] {
  const [, resolver, side] = /^(\d{1,5}):(front|cache|self|up)$/.exec(identity) ?? [];
  return resolver === undefined ? undefined : { resolver: Number(resolver), side: side as Side };
}

/** 255 bytes, each of which may be written as a backslash and three digits. */
const longestName = 1024;

const nameOf = (text: string): string => (text.length > 1 ? text.toLowerCase().replace(/(?<!\\)\.$/, "") : text);

function textOf(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at]!);
  return text;
}

function addressOf(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end - start === 4) return `${bytes[start]}.${bytes[start + 1]}.${bytes[start + 2]}.${bytes[start + 3]}`;
  if (end - start !== 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, n) => (bytes[start + 2 * n]! << 8) | bytes[start + 2 * n + 1]!);
  if (groups.slice(0, 5).every((it) => it === 0) && groups[5] === 0xffff) return addressOf(bytes, start + 12, end); // As a dual-stack socket reports it.
  return shortened(groups);
}

/** The longest run of zeros, if it is longer than one, becomes two colons: the first one of several. */
function shortened(groups: readonly number[]): string {
  let [from, length] = [0, 1];
  for (let first = 0; first < groups.length; first++) {
    let last = first;
    while (last < groups.length && groups[last] === 0) last++;
    if (last - first > length) [from, length] = [first, last - first];
  }
  const written = groups.map((it) => it.toString(16));
  if (length === 1) return written.join(":");
  return `${written.slice(0, from).join(":")}::${written.slice(from + length).join(":")}`;
}

/** Every field of a message in turn. False when the bytes are no message, or a field's reader says so. */
function eachField(bytes: Uint8Array, start: number, end: number, found: Found, read: Reader): boolean {
  let at = start;
  while (at < end) {
    const key = varint(bytes, at, end);
    at = varintEnd;
    if (key < 0) return false;
    const field = Math.floor(key / 8);
    const value = key % 8 === lengthDelimited || key % 8 === plainNumber ? varint(bytes, at, end) : fixedSize(key % 8);
    if (value < 0) return false;
    if (key % 8 === plainNumber) {
      at = varintEnd;
      if (!read(field, Math.min(value, largest), bytes, at, at, found)) return false;
      continue;
    }
    if (key % 8 === lengthDelimited) at = varintEnd;
    if (value > end - at) return false;
    if (key % 8 === lengthDelimited && !read(field, 0, bytes, at, at + value, found)) return false;
    at += value;
  }
  return true;
}

/** The numbers we read have 32 bits. Larger ones are invalid. */
const largest = 0xffff_ffff;

const plainNumber = 0;
const lengthDelimited = 2;

const fixedSize = (kind: number): number => (kind === 1 ? 8 : kind === 5 ? 4 : -1);

/** Where the last number that was read ended. A pair for each number would cost more than all the rest. */
let varintEnd = 0;

/** −1 when it does not end in time. */
function varint(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  let weight = 1;
  const last = Math.min(end, start + longestVarint);
  for (let at = start; at < last; at++) {
    const byte = bytes[at]!;
    value += (byte & 0x7f) * weight;
    if (byte < 0x80) {
      varintEnd = at + 1;
      return value;
    }
    weight *= 128;
  }
  return -1;
}

const longestVarint = 10;
