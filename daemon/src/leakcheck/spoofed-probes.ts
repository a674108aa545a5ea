import { inParallel } from "../system/async.ts";
import type { System } from "../system/system.ts";
import {
  arrivalsIn,
  createProbeLink,
  patternOf,
  type Probe,
  probeLinks,
  probeTableNumber,
  probeTable,
  renderProbeTable,
  renderSenderTable,
  senderTable,
  egressInterfacesIn,
} from "./spoofed-probes.render.ts";
import type { Subject } from "./subjects.ts";

/** The result of one probe that was sent in the name of a device. */
export interface ProbeResult {
  readonly family: 4 | 6;
  readonly source: string;
  readonly destination: string;
  /** Interfaces by which it would have left. */
  readonly left: readonly string[];
}

export interface ProbeRun {
  readonly byDevice: ReadonlyMap<string, readonly ProbeResult[]>;
  /** Why the probes could not be sent. */
  readonly failure?: string;
}

interface Needs {
  readonly system: Pick<System, "run">;
  /** Marks the commit of a process as one of ours, so that it is not reported as a foreign change. */
  readonly ours: (processId: number) => void;
  /** An unpredictable number of 32 bits. */
  readonly random: () => number;
}

/** Each is a process. */
const parallelPings = 8;
/** Few enough for one listing, enough for a home network. */
const batchSize = 256;

/**
 * Sends packets as each device would send them, and records the interfaces by which they would leave. They arrive by the LAN's
 * own interface, with the device's MAC and address, so every rule, route and table applies to them as to the device's own
 * packets; none of them is on a cable. Their hop limit is two, and they are dropped after the last table.
 */
export async function sendSpoofedProbes(needs: Needs, subjects: readonly Subject[]): Promise<ProbeRun> {
  const byDevice = new Map<string, ProbeResult[]>();
  const targets = subjects.flatMap((subject) =>
    // A device that is identified by its addresses has no MAC: any will do.
    subject.origins.map((origin) => ({ subject, origin, mac: subject.mac ?? "02:70:63:00:00:02" })),
  );
  try {
    for (const [lan, all] of Map.groupBy(targets, ({ origin }) => origin.lan))
      for (let first = 0; first < all.length; first += batchSize) {
        const part = all.slice(first, first + batchSize);
        // Consecutive numbers: of so many random ones two would often be equal, and their results mixed up.
        const base = needs.random();
        const probes = part.map(({ origin, mac }, index) => ({
          number: index + 1,
          mac,
          source: origin.address,
          destination: destinationOf(origin.family, base + index),
        }));
        const seen = await sendAll(needs, lan, probes);
        for (const [index, { subject, origin }] of part.entries()) {
          const { source, destination, number } = probes[index]!;
          const result = { family: origin.family, source, destination, left: seen.get(number) ?? [] };
          byDevice.set(subject.id, [...(byDevice.get(subject.id) ?? []), result]);
        }
      }
    return { byDevice };
  } catch (error) {
    return { byDevice, failure: (error as Error).message.split("\n")[0]! };
  }
}

/**
 * Networks for benchmarking (RFC 2544, RFC 5180), which are not routed on the Internet. Consecutive numbers, up to the count
 * of hosts, give distinct addresses.
 */
export function destinationOf(family: 4 | 6, chance: number): string {
  const [net, host] = [Math.floor(chance / hosts), 1 + (chance % hosts)];
  return family === 4
    ? `198.${18 + ((net >>> 8) & 1)}.${net & 255}.${host}`
    : `2001:2:0:${(net & 0xffff).toString(16)}::${host.toString(16)}`;
}
const hosts = 254;

async function sendAll(
  { system, ours, random }: Needs,
  lan: string,
  probes: readonly Probe[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const run = random();
  await removeProbeObjects(system, ours); // A run that was killed may have left objects.
  try {
    await system.run("nft", ["-f", "-"], { stdin: renderProbeTable(probes, run, lan), onStart: ours });
    const { v4, v6, tc } = createProbeLink(lan);
    await system.run("ip", ["-4", "-batch", "-"], { stdin: v4 });
    await system.run("ip", ["-6", "-batch", "-"], { stdin: v6 });
    await system.run("tc", ["-batch", "-"], { stdin: tc });
    await system.run("nft", ["-f", "-"], { stdin: renderSenderTable(probes), onStart: ours });
    await inParallel(
      parallelPings,
      probes.map((probe) => () => send(system, probe, run)),
    );
    const listing = await system.run("nft", ["-j", "list", "table", ...probeTable.split(" ")]);
    const arrived = arrivalsIn(listing);
    if (arrived < probes.length) throw new Error(`only ${arrived} of ${probes.length} packets arrived by ${lan}`);
    return egressInterfacesIn(listing);
  } finally {
    await removeProbeObjects(system, ours);
  }
}

/** One packet with a hop limit of two, and no wait for a reply. */
const pingOptions = ["-n", "-q", "-c", "1", "-W", "0.01", "-t", "2"];

/** No reply is expected; ping reports that as a failure. */
const send = (system: Needs["system"], probe: Probe, run: number): Promise<unknown> =>
  system
    .run("ping", [...pingOptions, "-I", probeLinks.near, "-p", patternOf(run, probe), probe.destination])
    .catch(() => undefined);

async function removeProbeObjects(system: Needs["system"], ours: Needs["ours"]): Promise<void> {
  await system.run("ip", ["link", "del", probeLinks.near]).catch(() => undefined);
  for (const family of ["-4", "-6"])
    await system.run("ip", [family, "rule", "del", "priority", String(probeTableNumber)]).catch(() => undefined);
  // Deleting a table that does not exist is an error.
  const stdin = [probeTable, senderTable].map((it) => `table ${it} { }\ndelete table ${it}\n`).join("");
  await system.run("nft", ["-f", "-"], { stdin, onStart: ours });
}
