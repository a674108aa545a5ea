import { type Random, randomOf } from "../testing/anomaly-random.ts";

/** What a device does within ten seconds: connections with what they transferred, and DNS queries. */
export interface Doing {
  readonly flows: readonly {
    readonly address: string;
    readonly sent: number;
    readonly received: number;
    readonly connections: number;
  }[];
  readonly queries: readonly { readonly name: string; readonly address: string; readonly isCached: boolean }[];
}

export interface WeekDevice {
  readonly address: string;
  /** `second`: since the beginning of the week. */
  readonly doing: (second: number) => Doing;
}

export const stepSec = 10;

/**
 * Assumptions about each kind: how many of 200 there are, services that it stays in contact with and how often, hours in which it
 * is used, the share of ten seconds in which it then transfers something, and DNS queries per day.
 */
const kinds: Readonly<Record<string, Kind>> = {
  phone: { count: 45, services: 3, everySec: 180, hours: [7, 23], used: 0.12, queries: 2000, median: 40_000 },
  laptop: { count: 40, services: 5, everySec: 60, hours: [8, 19], used: 0.3, queries: 3000, median: 60_000 },
  television: { count: 20, services: 2, everySec: 300, hours: [17, 23], used: 0.5, queries: 1500, median: 6_000_000 },
  sensor: { count: 55, services: 1, everySec: 60, hours: [0, 24], used: 0, queries: 700, median: 0 },
  camera: { count: 20, services: 1, everySec: 30, hours: [0, 24], used: 0.02, queries: 300, median: 400_000 },
  console: { count: 10, services: 2, everySec: 120, hours: [15, 23], used: 0.4, queries: 800, median: 300_000 },
  server: { count: 10, services: 6, everySec: 60, hours: [0, 24], used: 0.15, queries: 1500, median: 100_000 },
};

interface Kind {
  readonly count: number;
  readonly services: number;
  readonly everySec: number;
  readonly hours: readonly [number, number];
  readonly used: number;
  readonly queries: number;
  /** Bytes of a transfer. */
  readonly median: number;
}

const all = Object.values(kinds);
export const deviceCount = all.reduce((sum, it) => sum + it.count, 0);
export const queriesPerDevice = Math.round(all.reduce((sum, it) => sum + it.count * it.queries, 0) / deviceCount);
const popularNames = 5000;
const typicalNames = 80;

/** The devices of a network, from a seed. */
export function weekDevices(seed: number): WeekDevice[] {
  const random = randomOf(seed);
  const popular = Array.from({ length: popularNames }, (_, n) => destination(random, n));
  return all
    .flatMap((kind) =>
      Array.from({ length: kind.count }, () => deviceOf(kind, random, popular)).map(({ doing }) => doing),
    )
    .map((doing, n) => ({ address: `10.0.${n >> 8}.${n & 255}`, doing }));
}

interface Destination {
  readonly name: string;
  readonly address: string;
}

const letters = "abcdefghijklmnopqrstuvwxyz";
const destination = (random: Random, n: number): Destination => ({
  name: `${random.text(letters, random.whole(2, 9))}.${random.text(letters, random.whole(5, 14))}-${n}.example`,
  address: `20.${(n >> 8) & 63}.${n & 255}.${random.whole(1, 254)}`,
});

function deviceOf(
  kind: Kind,
  random: Random,
  popular: readonly Destination[],
): { readonly doing: WeekDevice["doing"] } {
  const pick = () => popular[Math.floor(popular.length * random.share() ** 3)]!;
  const services = Array.from({ length: kind.services }, pick);
  const typical = Array.from({ length: typicalNames }, pick);
  const next = services.map(() => random.between(0, kind.everySec));
  const [from, until] = kind.hours;
  const usedSteps = (((until - from) * 3600) / stepSec) * kind.used;
  const contacts = (86_400 / kind.everySec) * kind.services;
  // A quarter of the queries belong to contacts, the others come in groups with what the device is used for.
  const perContact = Math.min(1, kind.queries / 4 / contacts);
  const perUse = usedSteps > 0 ? (kind.queries - contacts * perContact) / usedSteps : 0;
  const idle = usedSteps > 0 ? 0 : (kind.queries - contacts * perContact) / (86_400 / stepSec);

  function doing(second: number): Doing {
    const flows: Doing["flows"][number][] = [];
    const queries: Doing["queries"][number][] = [];
    const query = ({ name, address }: Destination) =>
      void queries.push({ name, address, isCached: random.chance(0.4) });
    for (const [n, to] of services.entries()) {
      if (next[n]! > second) continue;
      next[n] = second + kind.everySec * random.between(0.9, 1.1);
      flows.push({
        address: to.address,
        sent: random.whole(200, 900),
        received: random.whole(200, 2000),
        connections: 1,
      });
      if (random.chance(perContact)) query(to);
    }
    const hour = (second % 86_400) / 3600;
    if (hour >= from && hour < until && random.chance(kind.used)) {
      for (let n = random.whole(1, 4); n > 0; n -= 1) {
        const to = random.chance(0.85) ? random.pick(typical) : pick();
        const received = Math.round(random.logNormal(kind.median, 1.2));
        flows.push({ address: to.address, sent: Math.round(received / 15), received, connections: random.whole(0, 2) });
      }
      // Few uses with many queries each: pages, not packets.
      if (random.chance(0.2))
        for (let n = Math.round(5 * perUse * random.between(0.5, 1.5)); n > 0; n -= 1) query(pick());
    }
    if (random.chance(idle)) query(services[0]!);
    return { flows, queries };
  }
  return { doing };
}
