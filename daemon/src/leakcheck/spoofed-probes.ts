import type { System } from "../system/system.ts";
import {
  arrivalsIn,
  layWire,
  patternOf,
  pretendToBe,
  type Probe,
  probeLinks,
  probeRoute,
  probeTable,
  renderWatch,
  sightingsIn,
} from "./spoofed-probes.render.ts";
import type { Subject } from "./subjects.ts";

/** What became of the packets that were sent in the name of a device. */
export interface Attacked {
  readonly family: 4 | 6;
  readonly source: string;
  readonly destination: string;
  /** Interfaces by which they would have left. */
  readonly left: readonly string[];
}

export interface Attack {
  readonly byDevice: ReadonlyMap<string, readonly Attacked[]>;
  /** Why it could not be made. */
  readonly failure?: string;
}

interface Needs {
  readonly system: Pick<System, "run">;
  /** The rules that are loaded here are no stranger's. */
  readonly ours: (processId: number) => void;
  /** A number of 32 bits that nobody can guess. */
  readonly random: () => number;
}

/** Few enough to be listed at once, many enough for a house. */
const atOnce = 256;

/**
 * Sends packets as each device would send them, and sees by which interface they would leave. They come in by the LAN's own
 * interface, with the device's MAC and address, so they meet every rule, route and table that the device's own packets
 * meet; nothing of it is on any cable. They live for two routers only, and are dropped behind the last table of all.
 */
export async function attack(needs: Needs, subjects: readonly Subject[]): Promise<Attack> {
  const byDevice = new Map<string, Attacked[]>();
  const aims = subjects.flatMap((subject) =>
    // Who is known by its address is nobody's MAC.
    subject.origins.map((origin) => ({ subject, origin, mac: subject.mac ?? "02:70:63:00:00:02" })),
  );
  try {
    for (const [lan, all] of Map.groupBy(aims, ({ origin }) => origin.lan))
      for (let first = 0; first < all.length; first += atOnce) {
        const part = all.slice(first, first + atOnce);
        // One after the other: of so many that are drawn, two would often be the same, and the answer of neither one's own.
        const base = needs.random();
        const probes = part.map(({ origin, mac }, place) => ({
          number: place + 1,
          mac,
          source: origin.address,
          destination: destinationOf(origin.family, base + place),
        }));
        const seen = await sendAll(needs, lan, probes);
        for (const [place, { subject, origin }] of part.entries()) {
          const { source, destination, number } = probes[place]!;
          const attacked = { family: origin.family, source, destination, left: seen.get(number) ?? [] };
          byDevice.set(subject.id, [...(byDevice.get(subject.id) ?? []), attacked]);
        }
      }
    return { byDevice };
  } catch (error) {
    return { byDevice, failure: (error as Error).message.split("\n")[0]! };
  }
}

/**
 * Networks for measurements (RFC 2544, RFC 5180): nobody lives there, so nobody is asked anything. Numbers that follow each
 * other, as many as there are hosts, are places of their own.
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
  await clearAway(system, ours); // One that was killed on its way may have left something.
  try {
    await system.run("nft", ["-f", "-"], { stdin: renderWatch(probes, run, lan), onStart: ours });
    const { v4, v6, tc } = layWire(lan);
    await system.run("ip", ["-4", "-batch", "-"], { stdin: v4 });
    await system.run("ip", ["-6", "-batch", "-"], { stdin: v6 });
    await system.run("tc", ["-batch", "-"], { stdin: tc });
    for (const [mac, all] of Map.groupBy(probes, (probe) => probe.mac)) {
      await system.run("ip", ["-batch", "-"], { stdin: pretendToBe(mac) });
      await Promise.all(all.map((probe) => send(system, probe, run)));
    }
    const listing = await system.run("nft", ["-j", "list", "table", ...probeTable.split(" ")]);
    const arrived = arrivalsIn(listing);
    if (arrived < probes.length) throw new Error(`only ${arrived} of ${probes.length} packets came in by ${lan}`);
    return sightingsIn(listing);
  } finally {
    await clearAway(system, ours);
  }
}

/** One packet that two routers may pass on, and no time for an answer. */
const brief = ["-n", "-q", "-c", "1", "-W", "0.01", "-t", "2"];

/** Nobody answers, which ping calls a failure. */
const send = (system: Needs["system"], probe: Probe, run: number): Promise<unknown> =>
  system
    .run("ping", [...brief, "-I", probeLinks.near, "-p", patternOf(run, probe), probe.destination])
    .catch(() => undefined);

async function clearAway(system: Needs["system"], ours: Needs["ours"]): Promise<void> {
  await system.run("ip", ["link", "del", probeLinks.near]).catch(() => undefined);
  for (const family of ["-4", "-6"])
    await system.run("ip", [family, "rule", "del", "priority", String(probeRoute)]).catch(() => undefined);
  // To delete a table that is not there is an error.
  const stdin = `table ${probeTable} { }\ndelete table ${probeTable}\n`;
  await system.run("nft", ["-f", "-"], { stdin, onStart: ours });
}
