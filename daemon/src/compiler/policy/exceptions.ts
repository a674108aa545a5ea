import { because } from "@portcullis/contract/reason";
import { formatAddress, parseAddress, parseNetwork } from "../../net/addresses.ts";
import { rangeAt, type RangesByFamily, disjointRanges } from "./address-ranges.ts";
import type { IntentException } from "../input/intent.ts";
import { pauseException } from "../input/read-pauses.ts";
import type { Outcome } from "./outcome.ts";
import type { Packet } from "./packet.ts";

/**
 * Exceptions by sender: MAC, or address of a device without one. They are evaluated before policies. If several match the same
 * packets, the table has the one that ends last, so that each key can expire by itself and need not be replaced.
 */
export interface ExceptionTables {
  readonly quarantined: ReadonlyMap<string, IntentException>;
  /** Direct to all destinations. */
  readonly direct: ReadonlyMap<string, IntentException>;
  /** Direct to some destinations: the rank of a range is the index of its exception. */
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

/** A device without a MAC is matched by its addresses. No MAC looks like an address, so one table can have both. */
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

/** The exception that matches a packet. Quarantine comes first: it overrides every other exception. */
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

/** The id of the exception itself; null for a pause, and for a device whose state is quarantined. */
export const exceptionIdOf = (it: IntentException | undefined): string | null =>
  it === undefined || it.type === pauseException ? null : it.id;

export function exceptionOutcome({ effect, type, untilMs }: IntentException): Outcome {
  const until = untilMs === null ? undefined : new Date(untilMs).toISOString();
  if (effect === "quarantine")
    return { kind: "block", reason: until ? because("quarantined_until", { until }) : because("quarantined") };
  if (type === pauseException && until) return { kind: "direct", reason: because("protection_paused", { until }) };
  return {
    kind: "direct",
    reason: until ? because("exception_direct_until", { type, until }) : because("exception_direct", { type }),
  };
}
