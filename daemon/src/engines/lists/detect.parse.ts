import type { ListFormat } from "./lists.model.ts";
import { isSinkholeAddress } from "./hosts.parse.ts";

export type KnownFormat = Exclude<ListFormat, "auto">;

/** The format of a list by its beginning: what most of its lines look like. Bare names are the fallback. */
export function detectFormat(beginning: string): KnownFormat {
  const votes = { hosts: 0, domains: 0, adblock: 0, rpz: 0 };
  for (const line of beginning.split("\n", mostLines)) {
    const format = formatOf(line.slice(0, mostOfLine).trim());
    if (format !== undefined) votes[format] += 1;
  }
  // A browser's list may have many bare names, and a zone many lines in parentheses: their own signs weigh more.
  const [winner] = (["rpz", "adblock", "hosts", "domains"] as const).toSorted(
    (one, other) => votes[other] * weights[other] - votes[one] * weights[one],
  );
  return winner!;
}

const mostLines = 500;
const mostOfLine = 300;
const weights = { rpz: 10, adblock: 10, hosts: 2, domains: 1 } as const;

function formatOf(line: string): KnownFormat | undefined {
  if (/^\$(?:TTL|ORIGIN)\s/i.test(line) || /^\S+\s+(?:\d+\s+)?(?:IN\s+)?(?:SOA|CNAME)\s/i.test(line)) return "rpz";
  if (/^(?:\[Adblock|@@|\|\|)/i.test(line) || /^[^\s#]*#[@?$%]?#/.test(line)) return "adblock";
  if (line === "" || /^[#!;]/.test(line)) return undefined;
  const [address, name] = line.split(/\s+/, 2);
  if (name !== undefined && isSinkholeAddress(address!)) return "hosts";
  return name === undefined || name.startsWith("#") ? "domains" : undefined;
}
