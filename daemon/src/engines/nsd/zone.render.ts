import type { Zone } from "./nsd.model.ts";
import { checkZone, parseRecord, type ParsedRecord } from "./zone.check.model.ts";

/**
 * A zone as the text of a zone file. Invalid or conflicting records are left out: the rest of the zone is
 * still served. All names are absolute, and all data is rendered from its parsed form.
 */
export function renderZone(zone: Zone): string {
  const wrong = new Set(checkZone(zone).map(({ record }) => record));
  const records = zone.records.flatMap((record, index) => {
    const meant = wrong.has(index) ? undefined : parseRecord(record, zone);
    return meant?.kind === "ok" ? [meant.record] : [];
  });
  const apex = `${zone.name}.`;
  const servers = records.filter(({ name, type }) => name === apex && type === "NS").map(({ data }) => data);
  const [first = placeholderServer] = servers.toSorted();
  // Negative answers are cached for a minute at most, so that a new name works soon.
  const soa = `${first} hostmaster.${apex} ${zone.serial} 3600 600 604800 ${Math.min(zone.ttlSec, 60)}`;
  const own = [
    `${apex}\t${zone.ttlSec}\tIN\tSOA\t${soa}`,
    ...(servers.length > 0 ? [] : [`${apex}\t${zone.ttlSec}\tIN\tNS\t${placeholderServer}`]),
  ];
  return [...own, ...linesOf(records).toSorted()]
    .map(
      (it) => `${it}
`,
    )
    .join("");
}

/** Records of the same name and type have the same TTL (RFC 2181): the shortest. */
const linesOf = (records: readonly ParsedRecord[]): string[] =>
  [...Map.groupBy(records, ({ name, type }) => `${name}\t${type}`).values()].flatMap((set) => {
    const ttlSec = set.reduce((min, it) => Math.min(min, it.ttlSec), Number.POSITIVE_INFINITY);
    return [...new Set(set.map(({ name, type, data }) => `${name}\t${ttlSec}\tIN\t${type}\t${data}`))];
  });

/** No client queries the name server by its name: the frontend knows its address. */
const placeholderServer = "localhost.";
