import { addressBytes } from "./address.model.ts";
import type { RecordType, Zone, ZoneRecord } from "./nsd.model.ts";

/** What is wrong with a zone, for a person; of one of its records, or of the whole. */
export interface Finding {
  /** Which record, counted from 0; null: the zone. */
  readonly record: number | null;
  readonly reason: string;
}

/** A record as it is meant: full names with a dot at the end, and data that means one thing only. */
export interface ParsedRecord {
  readonly name: string;
  readonly type: RecordType;
  readonly data: string;
  /** The full name it leads to, if it leads to one. */
  readonly target: string | null;
  readonly ttlSec: number;
}

export type ParsedResult = { readonly kind: "ok"; readonly record: ParsedRecord } | Wrong;
interface Wrong {
  readonly kind: "wrong";
  readonly reason: string;
}

/** Every reason why a name server could not serve this zone, or would serve something else than was meant. */
export function checkZone(zone: Zone): Finding[] {
  const whole = zoneReason(zone);
  if (whole !== undefined) return [{ record: null, reason: whole }];
  const meant = zone.records.map((record) => parseRecord(record, zone));
  const good = meant.flatMap((it, record) => (it.kind === "ok" ? [{ ...it.record, place: record }] : []));
  const byName = Map.groupBy(good, ({ name }) => name);
  return [
    ...meant.flatMap((it, record) => (it.kind === "wrong" ? [{ record, reason: it.reason }] : [])),
    ...good.flatMap((it) => companyReasons(it, byName, zone).map((reason) => ({ record: it.place, reason }))),
  ].toSorted((a, b) => a.record - b.record);
}

function zoneReason({ name, serial, ttlSec }: Zone): string | undefined {
  const reason = hostReason(name);
  if (reason !== undefined) return `The zone's name: ${reason}`;
  if (!isWhole(serial, 0xffff_ffff)) return "The serial is a whole number from 0 to 4294967295.";
  return isWhole(ttlSec, mostTtl) ? undefined : ttlReason;
}

/** One record by itself. */
export function parseRecord({ name, type, value, ttlSec }: ZoneRecord, zone: Zone): ParsedResult {
  const owner = fullOwner(name, zone.name);
  if (owner.kind === "wrong") return owner;
  if (ttlSec !== null && !isWhole(ttlSec, mostTtl)) return wrong(ttlReason);
  const read = readers[type](value.trim(), zone.name);
  if ("reason" in read) return wrong(`${type}: ${read.reason}`);
  const { data, target = null } = read;
  return { kind: "ok", record: { name: owner.name, type, data, target, ttlSec: ttlSec ?? zone.ttlSec } };
}

/** One record among the others. */
function companyReasons(it: Placed, byName: ReadonlyMap<string, readonly Placed[]>, zone: Zone): string[] {
  const isAlone = byName.get(it.name)?.length === 1;
  const apex = `${zone.name}.`;
  const reasons: string[] = [];
  if (it.type === "CNAME" && it.name === apex) reasons.push("The zone itself cannot be an alias.");
  if (it.type === "CNAME" && it.name !== apex && !isAlone)
    reasons.push(`An alias stands alone, and there is more than that at ${it.name}`);
  if (it.target === null || it.type === "CNAME" || it.type === "PTR") return reasons;
  const there = byName.get(it.target) ?? [];
  if (there.some(({ type }) => type === "CNAME")) reasons.push(`${it.type}: ${it.target} is an alias.`);
  const isInside = it.target === apex || it.target.endsWith(`.${apex}`);
  if (it.type === "NS" && isInside && !there.some(({ type }) => type === "A" || type === "AAAA"))
    reasons.push(`NS: ${it.target} is in this zone, which has no address for it.`);
  return reasons;
}

type Placed = ParsedRecord & { readonly place: number };

type Read = { readonly data: string; readonly target?: string } | { readonly reason: string };

const readers: Readonly<Record<RecordType, (value: string, zone: string) => Read>> = {
  A: (value) => (addressBytes(value)?.length === 4 ? { data: value } : { reason: "the value is an IPv4 address." }),
  AAAA: (value) =>
    addressBytes(value)?.length === 16
      ? { data: value.toLowerCase() }
      : { reason: "the value is an IPv6 address, without a zone." },
  CNAME: (value, zone) => readTarget(value, zone),
  NS: (value, zone) => readTarget(value, zone),
  PTR: (value, zone) => readTarget(value, zone),
  MX: (value, zone) => readNumbered(value, zone, ["preference"]),
  SRV: (value, zone) => readNumbered(value, zone, ["priority", "weight", "port"]),
  TXT: readText,
  CAA: readCaa,
};

/** Some numbers, and then a name. A bare dot means: no service. */
function readNumbered(value: string, zone: string, what: readonly string[]): Read {
  const words = value.split(/\s+/);
  const numbers = words.slice(0, -1);
  if (numbers.length !== what.length || !numbers.every((word) => /^\d{1,5}$/.test(word) && Number(word) <= 0xffff))
    return { reason: `the value is ${what.join(", ")} (0 to 65535 each) and a name.` };
  const last = words.at(-1)!;
  const target = last === "." ? { data: "." } : readTarget(last, zone);
  if ("reason" in target) return target;
  return { ...target, data: [...numbers.map((word) => String(Number(word))), target.data].join(" ") };
}

function readTarget(value: string, zone: string): Read {
  const full = value === "@" ? zone : value.endsWith(".") ? value.slice(0, -1) : `${value}.${zone}`;
  const reason = hostReason(full.toLowerCase());
  return reason === undefined ? { data: `${full.toLowerCase()}.`, target: `${full.toLowerCase()}.` } : { reason };
}

/** Quoted strings, or text that is taken as it is. Longer text is several strings, which its readers put together. */
function readText(value: string): Read {
  const strings = value.startsWith('"') ? unquoted(value) : [encoded(value)];
  if (!strings) return { reason: 'the value is text, or strings in quotes ("…" "…").' };
  const pieces = strings.flatMap((bytes) => inPieces(bytes, 255));
  if (pieces.reduce((sum, piece) => sum + piece.length + 1, 0) > mostData) return { reason: "the text is too long." };
  return { data: pieces.map(quoted).join(" ") };
}

/** RFC 8659. */
function readCaa(value: string): Read {
  const [, flags = "", tag = "", rest = ""] = /^(\d{1,3})\s+([a-z0-9]{1,15})\s+(.+)$/is.exec(value) ?? [];
  const strings = rest.startsWith('"') ? unquoted(rest) : /\s/.test(rest) ? undefined : [encoded(rest)];
  if (tag === "" || Number(flags) > 255 || strings?.length !== 1)
    return { reason: 'the value is flags (0 to 255), a tag and a value, like 0 issue "ca.example".' };
  const bytes = strings[0]!;
  return bytes.length > 255 * 16
    ? { reason: "the value is too long." }
    : { data: `${Number(flags)} ${tag.toLowerCase()} ${quoted(bytes)}` };
}

/** The strings of a row of quoted ones, as bytes. Nothing if it is not such a row. */
function unquoted(value: string): number[][] | undefined {
  if (!/^(?:"(?:[^"\\]|\\.)*"\s*)+$/s.test(value)) return undefined;
  return [...value.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, text]) =>
    [...text!.matchAll(/\\([01]\d\d|2[0-4]\d|25[0-5])|\\(.)|[^\\]+/gsu)].flatMap(([plain, number, sign]) =>
      number === undefined ? encoded(sign ?? plain) : [Number(number)],
    ),
  );
}

const encoded = (text: string): number[] => [...new TextEncoder().encode(text)];

/** Every byte but plain letters and signs as its number, so that nothing can end the string or mean anything. */
const quoted = (bytes: readonly number[]): string =>
  `"${bytes.map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, "0")}`)).join("")}"`;

const isPlain = (byte: number): boolean => byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;

const inPieces = (bytes: readonly number[], size: number): number[][] =>
  bytes.length <= size ? [[...bytes]] : [bytes.slice(0, size), ...inPieces(bytes.slice(size), size)];

function fullOwner(name: string, zone: string): { readonly kind: "ok"; readonly name: string } | Wrong {
  if (name === "@") return { kind: "ok", name: `${zone}.` };
  const lower = name.toLowerCase();
  const plain = lower === "*" ? "wildcard" : lower.replace(/^\*\./, "wildcard.");
  const reason = name.endsWith(".")
    ? `${JSON.stringify(name)} is not below the zone: leave out the dot, and the zone.`
    : (hostReason(plain) ?? hostReason(`${lower.replaceAll("*", "x")}.${zone}`));
  return reason === undefined ? { kind: "ok", name: `${lower}.${zone}.` } : wrong(reason);
}

/** Why this is not a name, or nothing. Underscores are for services, and allowed. */
function hostReason(name: string): string | undefined {
  if (name.length > 253) return "A name has at most 253 signs.";
  const label = name.split(".").find((it) => !/^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(it));
  if (label === undefined) return undefined;
  if (label === "") return `${JSON.stringify(name)} has an empty part.`;
  return label.length > 63
    ? `${JSON.stringify(label)} is longer than 63 signs.`
    : `${JSON.stringify(label)} has signs that no name has: it takes a to z, 0 to 9, _ and -, not - at an end.`;
}

const wrong = (reason: string): Wrong => ({ kind: "wrong", reason });
const isWhole = (value: number, most: number): boolean => Number.isInteger(value) && value >= 0 && value <= most;
const mostTtl = 0x7fff_ffff;
const ttlReason = "A TTL is a whole number of seconds from 0 to 2147483647.";
const mostData = 0xffff;
