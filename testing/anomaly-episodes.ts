import type { AnomalyKind } from "@portcullis/contract/subsystems/anomalies";
import { type Destination, page, remote, service } from "./anomaly-destinations.ts";
import { type Act, type SimulatedDevice, transfer } from "./anomaly-devices.ts";
import type { Random } from "./anomaly-random.ts";

/** Odd traffic of a device, with its label. Times are in seconds since the beginning of the simulation. */
export interface Episode {
  readonly device: string;
  readonly kind: AnomalyKind;
  /** Other kinds that are true of it, too. */
  readonly also: readonly AnomalyKind[];
  readonly startSec: number;
  readonly endSec: number;
  readonly acts: readonly Act[];
}

const MB = 1e6;
const hourSec = 3600;
const daySec = 86_400;

export function episodeOf(kind: AnomalyKind, random: Random, device: SimulatedDevice, day: number): Episode {
  const startSec = day * daySec + random.between(device.hours[0], device.hours[1] - 1) * hourSec;
  const { acts, also } = makers[kind](random, device, startSec);
  const times = acts.map(({ atSec }) => atSec);
  return { device: device.name, kind, also, startSec: Math.min(...times), endSec: Math.max(...times), acts };
}

interface Made {
  readonly acts: Act[];
  readonly also: readonly AnomalyKind[];
}
type Maker = (random: Random, device: SimulatedDevice, startSec: number) => Made;

/** To a new destination, 80 MB to 4 GB; to one that the device uses, 20 GB, more than any upload of its own. */
const exfiltration: Maker = (random, device, startSec) => {
  const isNew = random.chance(0.75) && !device.isCounted;
  const sent = isNew ? random.logUniform(80 * MB, 4000 * MB) : 20_000 * MB;
  const lastsSec = isNew ? Math.max(sent / 2.5e6, random.logUniform(600, 8 * hourSec)) : 3 * hourSec;
  const to = isNew ? (random.chance(0.3) ? remote(random) : page(random)) : device.cloud;
  return {
    acts: transfer(random, device.name, to, { atSec: startSec, lastsSec, sent, received: sent / 50 }),
    also: ["new_country", "unusual_hours"],
  };
};

/** Every 30 seconds to two hours, with a variation of up to a quarter, for one to five days; some contacts fail. */
const beaconing: Maker = (random, device, startSec) => {
  const everySec = random.logUniform(30, 7200);
  const jitter = random.between(0, 0.25);
  const to = random.chance(0.3) ? remote(random) : service(random, "cdn");
  const endSec = startSec + Math.max(random.between(1, 5) * daySec, 30 * everySec);
  const acts: Act[] = [];
  for (let atSec = startSec; atSec < endSec; atSec += everySec * random.between(1 - jitter, 1 + jitter)) {
    const hour = (atSec % daySec) / hourSec;
    const isOn = hour >= device.hours[0] && hour < device.hours[1];
    if (isOn && !random.chance(0.03))
      acts.push({ atSec, device: device.name, to, sent: random.whole(200, 2000), received: 500, connections: 1 });
  }
  return { acts, also: ["new_country", "unusual_hours"] };
};

/** 16 to 120 characters of an encoding, every second to every minute, for half an hour to twelve. */
const dnsTunnelling: Maker = (random, device, startSec) => {
  const domain = service(random, "x").name!.split(".").slice(1).join(".");
  const alphabet = random.pick([
    "0123456789abcdef",
    "abcdefghijklmnopqrstuvwxyz234567",
    "abcdefghijklmnopqrstuvwxyz0123456789-",
  ]);
  const everySec = random.logUniform(1, 60);
  const lastsSec = Math.max(random.logUniform(0.5, 12) * hourSec, 100 * everySec);
  const length = random.whole(24, 120);
  const acts: Act[] = [];
  for (let atSec = startSec; atSec < startSec + lastsSec; atSec += everySec * random.between(0.5, 1.5)) {
    const data = random.text(alphabet, length).replace(/(.{50})(?=.)/g, "$1.");
    const to: Destination = { name: `${data}.${domain}`, address: "20.0.0.1" };
    acts.push({ atSec, device: device.name, to, sent: 0, received: 0, connections: 0, isQueryOnly: true });
  }
  return { acts, also: ["query_rate", "unusual_hours"] };
};

/** 8 to 200 connections within an hour to two days. */
const newCountry: Maker = (random, device, startSec) => {
  const to = remote(random);
  const lastsSec = random.logUniform(1, 48) * hourSec;
  return {
    acts: Array.from({ length: random.whole(8, 200) }, () => ({
      atSec: startSec + random.between(0, lastsSec),
      device: device.name,
      to,
      sent: random.whole(500, 5e4),
      received: random.whole(500, 2e5),
      connections: 1,
    })),
    also: ["unusual_hours"],
  };
};

/** Three to four hours in the night, with half to all of what the device receives within an hour of use. */
const unusualHours: Maker = (random, device, startSec) => {
  const atSec = Math.floor(startSec / daySec) * daySec + random.between(2, 2.9) * hourSec;
  const lastsSec = random.between(3, 4) * hourSec;
  const received = (device.busyHour ?? 0) * (lastsSec / hourSec) * random.between(0.5, 1);
  return {
    acts: transfer(random, device.name, device.cloud, { atSec, lastsSec, sent: received / 60, received }),
    also: [],
  };
};

/** 8,000 queries within an hour, for names that exist. */
const queryRate: Maker = (random, device, startSec) => ({
  acts: Array.from({ length: 8000 }, (_, n) => ({
    atSec: startSec + n * 0.4,
    device: device.name,
    to: page(random),
    sent: 0,
    received: 0,
    connections: 0,
    isQueryOnly: true,
  })),
  also: [],
});

const makers: Readonly<Record<AnomalyKind, Maker>> = {
  exfiltration,
  beaconing,
  dns_tunnelling: dnsTunnelling,
  new_country: newCountry,
  unusual_hours: unusualHours,
  query_rate: queryRate,
};
