import type { Zone } from "./nsd.model.ts";
import { checkZone, parseRecord, type ParsedRecord } from "./zone.check.model.ts";

/**
 * A zone as the text of a zone file. Records that are wrong, or whose company is, are left out: the rest of the zone goes
 * on being served. All names are in full, and all data is written anew from what it means.
 */
export function renderZone(zone: Zone): string {
  const wrong = new Set(checkZone(zone).map(({ record }) => record));
  const records = zone.records.flatMap((record, place) => {
    const meant = wrong.has(place) ? undefined : parseRecord(record, zone);
    return meant?.kind === "ok" ? [meant.record] : [];
  });
  const apex = `${zone.name}.`;
  const servers = records.filter(({ name, type }) => name === apex && type === "NS").map(({ data }) => data);
  const [first = placeholderServer] = servers.toSorted();
  // What does not exist is remembered for a minute at most: who makes a new name wants to see it.
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
    const ttlSec = set.reduce((least, it) => Math.min(least, it.ttlSec), Number.POSITIVE_INFINITY);
    return [...new Set(set.map(({ name, type, data }) => `${name}\t${ttlSec}\tIN\t${type}\t${data}`))];
  });

/** Nobody asks the name server by its name: the front knows where it is. */
const placeholderServer = "localhost.";
