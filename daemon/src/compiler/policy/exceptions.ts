import { formatAddress, parseAddress, parseNetwork } from "@portcullis/contract/addresses";
import { rangeAt, type RangesByFamily, disjointRanges } from "./address-ranges.ts";
import type { IntentException } from "../input/intent.ts";
import type { Outcome } from "./outcome.ts";
import type { Packet } from "./packet.ts";

/**
 * What is heard before every policy, by sender: a MAC, or an address where there is none. Where several speak of the
 * same packets the one that lasts longest is written down, so that each key ends by itself and nobody must come and
 * put the next one in its place.
 */
export interface ExceptionTables {
  readonly quarantined: ReadonlyMap<string, IntentException>;
  /** Direct to everywhere. */
  readonly direct: ReadonlyMap<string, IntentException>;
  /** Direct to some destinations: the rank of a cell is the place of its exception. */
  readonly allowed: ReadonlyMap<
    string,
    { readonly exceptions: readonly IntentException[]; readonly ranges: RangesByFamily }
  >;
}

export function exceptionTables(exceptions: readonly IntentException[]): ExceptionTables {
  const lasting = exceptions.toSorted((a, b) => (b.untilMs ?? Infinity) - (a.untilMs ?? Infinity) || 0);
  const everywhere = lasting.filter(({ destinations }) => destinations.length === 0);
  return {
    quarantined: longestBySender(everywhere.filter(({ effect }) => effect === "quarantine")),
    direct: longestBySender(everywhere.filter(({ effect }) => effect === "direct")),
    allowed: new Map(
      [...bySender(lasting.filter(({ destinations }) => destinations.length > 0))].map(([sender, all]) => [
        sender,
        { exceptions: all, ranges: { v4: destinationRanges(all, 4), v6: destinationRanges(all, 6) } },
      ]),
    ),
  };
}

const longestBySender = (lasting: readonly IntentException[]): Map<string, IntentException> =>
  new Map([...bySender(lasting)].map(([sender, all]) => [sender, all[0]!]));

function bySender(exceptions: readonly IntentException[]): Map<string, IntentException[]> {
  const all = new Map<string, IntentException[]>();
  for (const exception of exceptions)
    for (const sender of sendersOf(exception)) all.set(sender, [...(all.get(sender) ?? []), exception]);
  return all;
}

/** A device without a MAC is known by its addresses. No MAC is spelled like an address, so both fit one table. */
const sendersOf = ({ mac, ips }: IntentException): string[] =>
  mac !== null ? [mac] : ips.flatMap((ip) => addressKey(ip) ?? []);

function addressKey(text: string): string | undefined {
  const address = parseAddress(text);
  return address && formatAddress(address);
}

const destinationRanges = (exceptions: readonly IntentException[], family: 4 | 6) =>
  disjointRanges(
    exceptions.flatMap(({ destinations }, rank) =>
      destinations.flatMap((text) => {
        const network = parseNetwork(text);
        return network?.family === family ? [{ network, rank }] : [];
      }),
    ),
  );

/** The exception a packet is under. Quarantine is asked for first: who is cut off stays cut off whatever else holds. */
export function exceptionAt(packet: Packet, tables: ExceptionTables): IntentException | undefined {
  const senders = [packet.mac, packet.source && formatAddress(packet.source)].filter((it) => it !== undefined);
  for (const table of [tables.quarantined, tables.direct])
    for (const sender of senders) if (table.has(sender)) return table.get(sender);
  const { destination } = packet;
  if (!destination) return undefined;
  for (const sender of senders) {
    const allowed = tables.allowed.get(sender);
    const range =
      allowed && rangeAt(destination.family === 4 ? allowed.ranges.v4 : allowed.ranges.v6, destination.value);
    if (range) return allowed.exceptions[range.rank];
  }
  return undefined;
}

export function exceptionOutcome({ effect, type, untilMs }: IntentException): Outcome {
  const until = untilMs === null ? "" : ` until ${new Date(untilMs).toISOString()}`;
  return effect === "quarantine"
    ? { kind: "block", reason: `the device is quarantined${until}` }
    : { kind: "direct", reason: `an exception (${type}) lets it out${until}` };
}
