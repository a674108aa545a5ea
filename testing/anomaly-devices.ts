import { type Destination, moved, page, peer, service } from "./anomaly-destinations.ts";
import type { Random } from "./anomaly-random.ts";

/** Something that a device does: a connection with its query, or only a query. */
export interface Act {
  readonly atSec: number;
  readonly device: string;
  readonly to: Destination;
  readonly sent: number;
  readonly received: number;
  readonly connections: number;
  /** Without a connection. */
  readonly isQueryOnly?: boolean;
}

export interface SimulatedDevice {
  readonly name: string;
  readonly isCounted: boolean;
  /** A destination that it uses for uploads. */
  readonly cloud: Destination;
  /** Bytes that it receives within an hour of use; undefined: it is used at all hours. */
  readonly busyHour?: number;
  /** Local hours in which it is on. */
  readonly hours: readonly [number, number];
  /** What it does on one day; `atSec` is since midnight. */
  readonly day: (day: Day) => Act[];
}

interface Day {
  readonly number: number;
  readonly isWeekend: boolean;
}

const MB = 1e6;
const hourSec = 3600;
type Kind = (random: Random, name: string) => SimulatedDevice;

/** Contacts at intervals, as those of firmware: small, and always to the same destinations. */
function polls(
  random: Random,
  device: string,
  to: Destination,
  everySec: number,
  jitter: number,
  [from, until] = [0, 24],
) {
  const acts: Act[] = [];
  for (
    let atSec = from * hourSec + random.between(0, everySec);
    atSec < until * hourSec;
    atSec += everySec * random.between(1 - jitter, 1 + jitter)
  )
    acts.push({ atSec, device, to, sent: random.whole(300, 900), received: random.whole(300, 2000), connections: 1 });
  return acts;
}

/** A transfer in parts: what a reading sees of a long connection. */
export function transfer(
  random: Random,
  device: string,
  to: Destination,
  { atSec, lastsSec, sent, received }: { atSec: number; lastsSec: number; sent: number; received: number },
): Act[] {
  const parts = Math.max(1, Math.min(200, Math.round(lastsSec / 60)));
  return Array.from({ length: parts }, (_, n) => ({
    atSec: atSec + (n * lastsSec) / parts + random.between(0, 3),
    device,
    to,
    sent: Math.round(sent / parts),
    received: Math.round(received / parts),
    connections: n === 0 ? 1 : 0,
  }));
}

/** Uplink: 20 Mbit/s. */
const uploadSec = (bytes: number): number => Math.max(5, bytes / 2.5e6);

function browsing(
  random: Random,
  device: string,
  known: Destination[],
  visits: number,
  [from, until]: readonly [number, number],
) {
  const acts: Act[] = [];
  for (let visit = 0; visit < visits; visit += 1) {
    const atSec = random.between(from, until) * hourSec;
    const isNew = random.chance(0.12);
    const to = isNew ? page(random) : known[Math.floor(known.length * random.share() ** 2)]!;
    if (isNew && random.chance(0.4)) known.push(to);
    const requests = random.whole(1, 5);
    for (let n = 0; n < requests; n += 1)
      acts.push({
        atSec: atSec + n * random.between(0.1, 40),
        device,
        to,
        sent: Math.round(random.logNormal(20_000, 1)),
        received: Math.round(random.logNormal(900_000, 1.2)),
        connections: random.whole(1, 3),
      });
    // A page that loads itself again for as long as it is open.
    if (random.chance(0.01))
      acts.push(
        ...polls(random, device, to, random.pick([60, 120, 300]), 0.03, [
          atSec / hourSec,
          Math.min(until, atSec / hourSec + random.between(0.5, 4)),
        ]),
      );
    if (random.chance(0.02))
      acts.push(
        ...transfer(random, device, to, { atSec, lastsSec: 30, sent: random.logNormal(4 * MB, 0.8), received: 9999 }),
      );
  }
  // Names of a content network: random, and short.
  for (let n = random.whole(0, 15); n > 0; n -= 1)
    acts.push({
      atSec: random.between(from, until) * hourSec,
      device,
      sent: 9e3,
      received: 4e5,
      connections: 1,
      to: {
        name: `d${random.text("0123456789abcdef", 13)}.cdn-front.example`,
        address: "20.0.9.9",
      },
    });
  return acts;
}

const camera: Kind = (random, name) => {
  const [cloud, time] = [service(random, "api"), service(random, "ntp")];
  return {
    name,
    isCounted: false,
    cloud,
    hours: [0, 24],
    day: () => [
      ...polls(random, name, cloud, 60, 0.03),
      ...polls(random, name, time, 1024, 0.01),
      ...Array.from({ length: random.whole(5, 40) }, () => {
        const sent = random.logNormal(5 * MB, 0.7);
        return transfer(random, name, cloud, {
          atSec: random.between(0, 86_000),
          lastsSec: uploadSec(sent),
          sent,
          received: sent / 40,
        });
      }).flat(),
      ...(random.chance(0.03)
        ? transfer(random, name, cloud, { atSec: 3 * hourSec, lastsSec: 100, sent: MB, received: 200 * MB })
        : []),
    ],
  };
};

const thermostat: Kind = (random, name) => {
  let cloud = service(random, "iot");
  const every = random.pick([60, 300, 600]);
  return {
    name,
    isCounted: random.chance(0.2),
    cloud,
    hours: [0, 24],
    day: ({ number }) => {
      if (number === 20 && random.chance(0.4)) cloud = moved(random, cloud);
      return polls(random, name, cloud, every, 0.02);
    },
  };
};

const television: Kind = (random, name) => {
  const [vendor, ...films] = Array.from({ length: 6 }, () => service(random, "stream"));
  return {
    name,
    isCounted: false,
    cloud: vendor!,
    hours: [17, 23],
    busyHour: 450 * MB,
    day: ({ isWeekend }) => [
      ...polls(random, name, vendor!, 900, 0.1),
      ...Array.from({ length: random.whole(0, isWeekend ? 4 : 2) }, () => {
        const received = random.logNormal(2000 * MB, 0.5);
        const isLate = isWeekend && random.chance(0.1);
        const atSec = random.between(isWeekend ? 14 : 18, isLate ? 23.5 : 21.5) * hourSec;
        return transfer(random, name, random.pick(films), { atSec, lastsSec: 5400, sent: received / 60, received });
      }).flat(),
    ],
  };
};

const phone: Kind = (random, name) => {
  const [push, cloud] = [service(random, "push"), service(random, "photos")];
  const known = Array.from({ length: 60 }, () => service(random, "app"));
  return {
    name,
    isCounted: false,
    cloud,
    hours: [7, 23],
    busyHour: 12 * MB,
    day: ({ isWeekend, number }) => {
      const photos = random.logNormal((isWeekend ? 200 : 60) * MB, 0.9);
      // While it is charged in the night.
      const update = random.chance(0.05) ? random.between(100, 400) * MB : 0;
      const isTrip = number > 14 && random.chance(0.02);
      const sent = Math.min(9000 * MB, isTrip ? 5 * photos : photos);
      return [
        ...polls(random, name, push, 900, 0.3),
        ...browsing(random, name, known, random.whole(20, 60), [isWeekend ? 8.5 : 6.8, 23.2]),
        ...(update > 0
          ? transfer(random, name, push, {
              atSec: random.between(2, 5) * hourSec,
              lastsSec: random.between(300, 1800),
              sent: update / 60,
              received: update,
            })
          : []),
        ...transfer(random, name, cloud, {
          atSec: random.between(20, 22) * hourSec,
          lastsSec: uploadSec(sent),
          sent,
          received: sent / 50,
        }),
      ];
    },
  };
};

const laptop: Kind = (random, name) => {
  const [cloud, meeting, scanner] = [service(random, "backup"), service(random, "meet"), service(random, "lookup")];
  const known = Array.from({ length: 120 }, () => page(random));
  const hasScanner = random.chance(0.3);
  return {
    name,
    isCounted: false,
    cloud,
    hours: [8, 22],
    busyHour: 60 * MB,
    day: ({ isWeekend }) => {
      if (isWeekend && random.chance(0.4)) return [];
      const hours = isWeekend ? ([10, 22] as const) : ([8, random.chance(0.4) ? 22 : 18] as const);
      const backup = random.logNormal(120 * MB, 0.6);
      const calls = isWeekend ? 0 : random.whole(0, 4);
      return [
        ...browsing(random, name, known, random.whole(30, 120), hours),
        ...polls(random, name, known[0]!, 300, 0.05, [...hours]),
        ...transfer(random, name, cloud, {
          atSec: 12.2 * hourSec,
          lastsSec: uploadSec(backup),
          sent: backup,
          received: backup / 50,
        }),
        ...Array.from({ length: calls }, () => {
          const lastsSec = random.between(900, 5000);
          const sent = lastsSec * random.between(0.08, 0.25) * MB;
          const to = random.chance(0.3) ? peer(random) : meeting;
          return transfer(random, name, to, {
            atSec: random.between(8.5, 16) * hourSec,
            lastsSec,
            sent,
            received: sent * 1.4,
          });
        }).flat(),
        ...(hasScanner ? lookups(random, name, scanner, random.whole(60, 300), [9, 17]) : []),
      ];
    },
  };
};

/** A virus scanner: one query for the digest of each file. */
const lookups = (
  random: Random,
  device: string,
  to: Destination,
  count: number,
  [from, until]: readonly [number, number],
): Act[] =>
  Array.from({ length: count }, () => ({
    atSec: random.between(from, until) * hourSec,
    device,
    sent: 0,
    received: 0,
    connections: 0,
    isQueryOnly: true,
    to: {
      ...to,
      name: `${random.text("0123456789abcdef", 32)}.${to.name}`,
    },
  }));

const gamer: Kind = (random, name) => {
  const cloud = service(random, "game");
  const known = Array.from({ length: 50 }, () => page(random));
  return {
    name,
    isCounted: false,
    cloud,
    hours: [15, 24],
    busyHour: 250 * MB,
    day: ({ isWeekend }) => [
      ...browsing(random, name, known, random.whole(5, 40), [15, 23.9]),
      ...Array.from({ length: random.whole(1, isWeekend ? 5 : 3) }, () => {
        const lastsSec = random.between(1200, 6000);
        return transfer(random, name, random.chance(0.5) ? peer(random) : cloud, {
          atSec: random.between(15, 22) * hourSec,
          lastsSec,
          sent: lastsSec * 3e4,
          received: lastsSec * 9e4,
        });
      }).flat(),
    ],
  };
};

const storage: Kind = (random, name) => {
  const cloud = service(random, "offsite");
  return {
    name,
    isCounted: random.chance(0.3),
    cloud,
    hours: [0, 24],
    day: () => {
      const sent = Math.min(9000 * MB, random.logNormal(1500 * MB, 0.5));
      return [
        ...polls(random, name, cloud, 3600, 0.2),
        ...transfer(random, name, cloud, { atSec: 2 * hourSec, lastsSec: uploadSec(sent), sent, received: sent / 40 }),
      ];
    },
  };
};

/** Queries block lists about the sender of each message. */
const mailServer: Kind = (random, name) => {
  const cloud = service(random, "relay");
  const list = service(random, "zen");
  return {
    name,
    isCounted: false,
    cloud,
    hours: [0, 24],
    day: () => [
      ...Array.from({ length: random.whole(200, 900) }, () => ({
        atSec: random.between(0, 86e3),
        device: name,
        sent: 0,
        received: 0,
        connections: 0,
        isQueryOnly: true,
        to: {
          ...list,
          name: `${[0, 0, 0, 0].map(() => random.whole(1, 254)).join(".")}.${list.name}`,
        },
      })),
      ...Array.from({ length: random.whole(30, 200) }, () => ({
        atSec: random.between(6, 20) * hourSec,
        device: name,
        connections: 1,
        to: random.chance(0.5) ? cloud : page(random),
        sent: Math.round(random.logNormal(6e4, 1.5)),
        received: 5e3,
      })),
    ],
  };
};

const kinds = { camera, thermostat, television, phone, laptop, gamer, storage, mailServer } as const;

const sites = {
  home: "camera camera thermostat thermostat television television phone phone phone laptop laptop gamer storage",
  flat: "thermostat thermostat television thermostat",
  office: "laptop laptop laptop laptop laptop laptop phone phone camera camera thermostat storage mailServer",
} as const;

export type Site = keyof typeof sites;

export const devicesOf = (site: Site, random: Random): SimulatedDevice[] =>
  sites[site].split(" ").map((kind, n) => kinds[kind as keyof typeof kinds](random, `${site} ${kind} ${n}`));
