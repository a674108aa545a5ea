import type { Host } from "../namespaces.ts";
import { startJsonScript } from "../json-script.ts";
import type { ForwardedQuery, Counts, ProbeIdentity } from "./probes.ts";

/** Monitors wires outside the gateway, and knows which packets are allowed there. */
export interface WireMonitor {
  readonly seen: () => Promise<Seen>;
  /** Clears all counts; DNS queries of earlier phases do not count. Returns what was seen until now. */
  readonly begin: (phase: number) => Promise<Seen>;
  /** Packets to these destinations belong to a tunnel. */
  readonly tunnelsTo: (places: readonly (readonly [address: string, port: number])[]) => Promise<Seen>;
}

export interface Seen {
  /** Packets by device and probe, whichever host forwarded them, and in whatever packet they are quoted. */
  readonly devices: Readonly<Record<string, Sightings>>;
  /** Packets that may be there, by what they are. */
  readonly allowed: Readonly<Record<string, number>>;
  /** Packets that are neither allowed nor a probe, by kind. */
  readonly findings: Readonly<Record<string, number>>;
  /** The first packet of each person and probe. */
  readonly samples: Readonly<Record<string, string>>;
  /** DNS queries that were sent before the phase began. */
  readonly stale: number;
}

export type Sightings = Counts & Readonly<Partial<Record<ForwardedQuery | "portal4" | "portal6", number>>>;

export interface WireMonitorOptions {
  readonly wires: readonly string[];
  readonly devices: readonly ProbeIdentity[];
  /** The targets of the gateway's health probes. */
  readonly health: readonly string[];
  /** The upstream resolvers of the gateway. */
  readonly resolvers: readonly string[];
  /** Pairs of servers of which the first may refuse packets of the second, or answer its echo requests. */
  readonly answering?: readonly (readonly [string, string])[];
}

export async function startWireMonitor(host: Host, watched: WireMonitorOptions): Promise<WireMonitor> {
  const script = await startJsonScript(host, "leaks/wire-monitor.py", JSON.stringify(watched));
  const request = async (words: unknown): Promise<Seen> => {
    const { missed, ...seen } = (await script.request(JSON.stringify(words))) as Seen & { readonly missed: number };
    if (missed > 0) throw new Error(`The watch on ${host.name} missed ${missed} packets`);
    return seen;
  };
  return {
    seen: () => request("report"),
    begin: (phase) => request({ phase }),
    tunnelsTo: (places) => request({ outer: places }),
  };
}

/** What was seen on all wires together. */
export const merged = (all: readonly Seen[]): Seen => ({
  devices: all.map(({ devices }) => devices).reduce(joined, {}),
  allowed: all.map(({ allowed }) => allowed).reduce(sum, {}),
  findings: all.map(({ findings }) => findings).reduce(sum, {}),
  samples: Object.assign({}, ...all.map(({ samples }) => samples)) as Seen["samples"],
  stale: all.reduce((total, { stale }) => total + stale, 0),
});

function joined(one: Seen["devices"], other: Seen["devices"]): Seen["devices"] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, sum(one[name] ?? {}, other[name] ?? {})]));
}

function sum(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>): Record<string, number> {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}
