import { isSinkholeAddress } from "./hosts.parse.ts";
import type { Entry } from "./lists.model.ts";
import type { LineParser } from "./line.parse.ts";
import { parseName } from "./names.parse.ts";

/**
 * A response policy zone, as in draft-vixie-dnsop-dns-rpz: `name CNAME .` for that name, `*.name CNAME .` for those below.
 * Only QNAME triggers are used; the action data of a rule is replaced by our own answer.
 */
export function rpzParser(): LineParser {
  let zone: Zone = { origin: "", apex: undefined, owner: "", depth: 0 };
  return (line, emit) => {
    const { text, opened } = bareOf(line);
    const isContinued = zone.depth > 0;
    zone = { ...zone, depth: Math.max(0, zone.depth + opened) };
    if (isContinued || text.trim() === "") return 0;
    if (text.startsWith("$")) {
      zone = afterDirective(text, zone);
      return isWithNames(text) ? 1 : 0;
    }
    const record = readRecord(text, zone.owner);
    zone = { ...zone, owner: record.owner };
    if (record.type === "SOA") zone = { ...zone, apex: absolute(record.owner, zone.origin) };
    if (aboutTheZone.has(record.type)) return 0;
    const entry = entryOf(record, zone);
    if (entry === undefined) return 1;
    emit(entry);
    return 0;
  };
}

interface Zone {
  /** Lower case, without a dot at its end; empty before it is known. */
  readonly origin: string;
  /** The name of the zone itself, which is no part of what its records speak of. */
  readonly apex: string | undefined;
  /** Of the record before, for lines that leave it out. */
  readonly owner: string;
  /** Parentheses that are open. */
  readonly depth: number;
}

const aboutTheZone: ReadonlySet<string> = new Set(["SOA", "NS", "DNSKEY", "RRSIG", "NSEC", "NSEC3", "NSEC3PARAM"]);

/** Without its comment, and by how much it opens parentheses. What is in quotes is neither. */
function bareOf(line: string): { readonly text: string; readonly opened: number } {
  let opened = 0;
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === "\\") at++;
    else if (isQuoted) continue;
    else if (character === ";") return { text: line.slice(0, at), opened };
    else if (character === "(") opened++;
    else if (character === ")") opened--;
  }
  return { text: line, opened };
}

function afterDirective(text: string, zone: Zone): Zone {
  const [directive, value] = text.trim().split(/\s+/, 2);
  if (directive?.toUpperCase() !== "$ORIGIN" || value === undefined) return zone;
  const origin = absolute(value.toLowerCase(), zone.origin);
  // Origins below origins grow with every line; one that is too long for a name has no names below it.
  if (origin.length > mostOfOrigin) return zone;
  return { ...zone, origin, apex: zone.apex ?? origin };
}

const mostOfOrigin = 253;

const isWithNames = (text: string): boolean => /^\$(?:INCLUDE|GENERATE)\b/i.test(text);

/** Names without a dot at their end are below the origin. */
function absolute(name: string, origin: string): string {
  if (name === "@") return origin;
  if (name.endsWith(".")) return name.slice(0, -1);
  return origin === "" ? name : `${name}.${origin}`;
}

interface ZoneRecord {
  readonly owner: string;
  readonly type: string;
  readonly data: string;
}

/** `owner [TTL] [class] type data`, where TTL and class may be swapped. */
function readRecord(text: string, ownerBefore: string): ZoneRecord {
  const words = text.trim().split(/\s+/, 6);
  const isOwnerLeftOut = text.startsWith(" ") || text.startsWith("\t");
  const owner = isOwnerLeftOut ? ownerBefore : words.shift()!.toLowerCase();
  for (let left = 2; left > 0 && isTtlOrClass(words[0] ?? ""); left--) words.shift();
  return { owner, type: (words[0] ?? "").toUpperCase(), data: (words[1] ?? "").toLowerCase() };
}

const isTtlOrClass = (word: string): boolean => /^(?:[0-9]+[smhdw]?|IN|CH|HS)$/i.test(word);

function entryOf({ owner, type, data }: ZoneRecord, { origin, apex = origin }: Zone): Entry | undefined {
  const trigger = relative(absolute(owner, origin), apex);
  if (trigger === undefined) return undefined;
  const isBelow = trigger.startsWith("*.");
  const name = parseName(isBelow ? trigger.slice(2) : trigger);
  if (name === undefined || otherTriggers.test(name)) return undefined;
  const verdict = verdictOf(type, data, trigger);
  if (verdict === undefined) return undefined;
  return { name, scope: isBelow ? "below" : "exact", isException: verdict === "let through" };
}

function relative(name: string, apex: string): string | undefined {
  if (apex === "") return name;
  return name.endsWith(`.${apex}`) ? name.slice(0, -apex.length - 1) : undefined;
}

/** Addresses in answers, addresses and names of servers, and of those who ask. */
const otherTriggers = /(?:^|\.)rpz-(?:ip|nsip|nsdname|client-ip)$/;

/** Another name or address for an answer is a rewrite, and none of a list's. */
function verdictOf(type: string, data: string, trigger: string): "block" | "let through" | undefined {
  if (type === "A" || type === "AAAA") return isSinkholeAddress(data) ? "block" : undefined;
  if (type !== "CNAME") return undefined;
  if (data === "." || data === "*." || data === "rpz-drop.") return "block";
  // The second is how passing was written before it had a word of its own.
  return data === "rpz-passthru." || data === `${trigger}.` ? "let through" : undefined;
}
