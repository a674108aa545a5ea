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
import type { Origin, Subject } from "./subjects.ts";

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

/** Fewer than the kernel queues for one CPU: more at once could be dropped on a busy machine. */
const batchSize = 512;
/** How often a batch is sent before probes that did not arrive are a failure. */
const maxAttempts = 3;

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
      await withProbeLink(needs, lan, async () => {
        for (let first = 0; first < all.length; first += batchSize) {
          const batch = all.slice(first, first + batchSize);
          const probes = probesOf(batch, needs.random());
          const left = await sendBatch(needs, lan, probes);
          for (const [index, { subject }] of batch.entries()) {
            const { family, source, destination, number } = probes[index]!;
            const results = byDevice.get(subject.id) ?? [];
            results.push({ family, source, destination, left: left.get(number) ?? [] });
            byDevice.set(subject.id, results);
          }
        }
      });
    return { byDevice };
  } catch (error) {
    return { byDevice, failure: (error as Error).message.split("\n")[0]! };
  }
}

function probesOf(targets: readonly { readonly origin: Origin; readonly mac: string }[], base: number): Probe[] {
  const sent = { 4: 0, 6: 0 };
  return targets.map(({ origin: { family, address: source }, mac }, index) => {
    sent[family] += 1;
    // Destinations with consecutive numbers: of so many random ones two would often be equal.
    const destination = destinationOf(family, base + index);
    return { number: index + 1, sequence: sent[family], family, mac, source, destination };
  });
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

async function withProbeLink({ system, ours }: Needs, lan: string, use: () => Promise<void>): Promise<void> {
  await removeProbeObjects(system, ours); // A run that was killed may have left objects.
  try {
    const { v4, v6, tc } = createProbeLink(lan);
    await system.run("ip", ["-4", "-batch", "-"], { stdin: v4 });
    await system.run("ip", ["-6", "-batch", "-"], { stdin: v6 });
    await system.run("tc", ["-batch", "-"], { stdin: tc });
    await use();
  } finally {
    await removeProbeObjects(system, ours);
  }
}

/** The interfaces by which each probe would have left. */
async function sendBatch(
  { system, ours, random }: Needs,
  lan: string,
  probes: readonly Probe[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const list = (set: string): Promise<string> =>
    system.run("nft", ["-j", "list", "set", ...probeTable.split(" "), set]);
  for (let attempt = 1; ; attempt++) {
    const run = random();
    const stdin = withoutProbeTables + renderProbeTable(probes, run, lan) + renderSenderTable(probes);
    await system.run("nft", ["-f", "-"], { stdin, onStart: ours });
    for (const sent of Map.groupBy(probes, ({ family }) => family).values()) await ping(system, sent, run);
    const arrived = arrivalsIn(await list("arrived"));
    if (arrived >= probes.length) return egressInterfacesIn(await list("left"));
    if (attempt === maxAttempts) throw new Error(`only ${arrived} of ${probes.length} packets arrived by ${lan}`);
  }
}

/** All at once, with a hop limit of two and without waiting for replies. */
const pingOptions = ["-n", "-q", "-W", "0.01", "-t", "2", "-I", probeLinks.near];

/** The probe table gives each packet its own destination. No reply is expected; ping reports that as a failure. */
const ping = (system: Needs["system"], probes: readonly Probe[], run: number): Promise<unknown> => {
  const count = String(probes.length);
  return system
    .run("ping", [...pingOptions, "-c", count, "-l", count, "-p", patternOf(run), probes[0]!.destination])
    .catch(() => undefined);
};

async function removeProbeObjects(system: Needs["system"], ours: Needs["ours"]): Promise<void> {
  await system.run("ip", ["link", "del", probeLinks.near]).catch(() => undefined);
  for (const family of ["-4", "-6"])
    await system.run("ip", [family, "rule", "del", "priority", String(probeTableNumber)]).catch(() => undefined);
  await system.run("nft", ["-f", "-"], { stdin: withoutProbeTables, onStart: ours });
}

/** Deleting a table that does not exist is an error. */
const withoutProbeTables = [probeTable, senderTable].map((it) => `table ${it} { }\ndelete table ${it}\n`).join("");
