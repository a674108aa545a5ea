import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type AnomalyKind, anomalyKinds } from "@portcullis/contract/subsystems/anomalies";
import { openTextStore } from "../daemon/src/ledger/text-store.ts";
import { noUsage } from "../daemon/src/ledger/traffic-rollup.ts";
import type { StoredAnomaly } from "../daemon/src/planes/anomalies/anomalies.machine.ts";
import { anomalyPlane } from "../daemon/src/planes/anomalies/anomalies.plane.ts";
import { readCountries } from "../daemon/src/planes/anomalies/countries.ts";
import { anomalyStore } from "../daemon/src/planes/anomalies/stored.ts";
import { answeredNames } from "../daemon/src/planes/traffic/answered-names.ts";
import { attribute } from "../daemon/src/planes/traffic/attribution.ts";
import { countryFile } from "./anomaly-destinations.ts";
import { type Act, devicesOf, type SimulatedDevice, type Site } from "./anomaly-devices.ts";
import { type Episode, episodeOf } from "./anomaly-episodes.ts";
import { randomOf } from "./anomaly-random.ts";
import { temporaryFolder } from "./folder.ts";

interface Simulation {
  readonly seed: number;
  readonly site: Site;
  readonly days: number;
  readonly learningDays: number;
  /** Episodes of each kind. */
  readonly episodes: number;
  /** All kinds unless given. */
  readonly kinds?: readonly AnomalyKind[];
}

export interface Simulated {
  readonly episodes: readonly Episode[];
  readonly reported: readonly StoredAnomaly[];
  readonly acts: number;
}

/** A Monday. */
const beginMs = Date.UTC(2026, 0, 5);
const readingSec = 5;
const daySec = 86_400;

/** Weeks of a site, through the functions that read connections and queries in the daemon. */
export async function simulate({
  seed,
  site,
  days,
  learningDays,
  episodes: count,
  kinds = anomalyKinds,
}: Simulation): Promise<Simulated> {
  const random = randomOf(seed);
  const devices = devicesOf(site, random);
  const episodes = planned({ random, devices, days, learningDays, count, kinds });
  using folder = temporaryFolder();
  const file = openTextStore({
    path: join(folder.path, "a.db"),
    contents: "Anomalies",
    setAside: () => {},
    warn: fail,
  });
  const countries = await readCountries(
    { readText: (path) => (path.endsWith("geoip") ? countryFile : undefined) },
    async () => {},
  );
  const isCounted = new Map(devices.map((it) => [it.name, it.isCounted]));
  const plane = anomalyPlane({
    store: anomalyStore(file),
    settings: () => ({ enabled: true, sensitivity: "medium", learning_days: learningDays }),
    levelOf: (device) => (isCounted.get(device) ? "counts" : "full"),
    nameOf: (device) => device,
    countries: () => countries,
    announce: () => {},
  });
  const reader = readerOf(devices, plane);
  let acts = 0;
  for (let day = 0; day < days; day += 1) {
    const odd = episodes.flatMap((it) => it.acts.filter(({ atSec }) => Math.floor(atSec / daySec) === day));
    const typical = devices.flatMap((it) =>
      it.day({ number: day, isWeekend: day % 7 >= 5 }).map((act) => ({ ...act, atSec: act.atSec + day * daySec })),
    );
    const all = [...typical, ...odd].toSorted((a, b) => a.atSec - b.atSec);
    acts += all.length;
    reader.read(all, day);
    await nextTurn(); // Messages of the test runner.
  }
  const reported = plane.anomalies();
  plane.close();
  return { episodes, reported, acts };
}

function fail(message: string, error: unknown): never {
  throw new Error(message, { cause: error });
}

interface Plan {
  readonly random: ReturnType<typeof randomOf>;
  readonly devices: readonly SimulatedDevice[];
  readonly days: number;
  readonly learningDays: number;
  readonly count: number;
  readonly kinds: readonly AnomalyKind[];
}

/** Each device has one episode at most, so that one does not explain another. */
function planned({ random, devices, days, learningDays, count, kinds }: Plan): Episode[] {
  const free = [...devices];
  return kinds.flatMap((kind) =>
    Array.from({ length: count }, () => {
      const fitting = free.filter((it) => canHave(kind, it));
      if (fitting.length === 0) return [];
      const device = random.pick(fitting);
      free.splice(free.indexOf(device), 1);
      const day = random.whole(learningDays + 3, days - 4);
      return [episodeOf(kind, random, device, day)];
    }).flat(),
  );
}

const canHave = (kind: AnomalyKind, { isCounted, busyHour }: SimulatedDevice): boolean => {
  if (kind === "unusual_hours") return busyHour !== undefined;
  return !isCounted || kind === "exfiltration" || kind === "query_rate";
};

function readerOf(devices: readonly SimulatedDevice[], plane: ReturnType<typeof anomalyPlane>) {
  const addressOf = new Map(devices.map(({ name }, n) => [name, `10.0.0.${n + 1}`]));
  const owners = new Map(devices.map((it) => [addressOf.get(it.name)!, it]));
  const names = answeredNames();
  let id = 0;
  const attribution = {
    ownerOf: (address: string) => {
      const { name, isCounted } = owners.get(address)!;
      return { device: name, level: isCounted ? ("counts" as const) : ("full" as const) };
    },
    policyOf: () => undefined,
    nameOf: names.nameOf,
  };
  const flowOf = ({ device, to, sent, received, connections }: Act) => ({
    flow: {
      id: (id += 1),
      source: addressOf.get(device)!,
      destination: to.address,
      mark: 2,
      isDns: false,
      isRedirected: false,
      sent: {
        packets: 1,
        bytes: sent,
      },
      received: {
        packets: 1,
        bytes: received,
      },
    },
    usage: { ...noUsage, sentBytes: Math.round(sent), receivedBytes: Math.round(received), connections },
  });
  /** Readings of one day, and the rounds between them. */
  function read(acts: readonly Act[], day: number): void {
    let next = 0;
    for (let atSec = day * daySec; atSec < (day + 1) * daySec; atSec += readingSec) {
      const from = next;
      while (next < acts.length && acts[next]!.atSec < atSec + readingSec) next += 1;
      const now = acts.slice(from, next);
      const atMs = beginMs + (atSec + readingSec) * 1000;
      if (now.length > 0) observe(now, atMs);
      if (atSec % 60 === 0) plane.round(atMs);
    }
  }
  function observe(now: readonly Act[], atMs: number): void {
    const queried = now.filter(
      ({ to, connections, isQueryOnly }) => to.name !== undefined && (isQueryOnly || connections > 0),
    );
    names.learn(
      queried.map(({ device, to }) => ({ client: addressOf.get(device)!, name: to.name!, addresses: [to.address] })),
    );
    if (queried.length > 0)
      plane.onQueries(
        queried.map(({ device, to }) => ({
          device,
          queries: 1,
          names: owners.get(addressOf.get(device)!)!.isCounted ? [] : [to.name!],
        })),
        atMs,
      );
    const flows = now.filter(({ isQueryOnly }) => !isQueryOnly).map(flowOf);
    if (flows.length > 0) plane.onFlows(attribute(flows, attribution).flows, atMs);
  }
  return { read };
}

export interface Quality {
  readonly found: number;
  readonly missed: readonly Episode[];
  readonly right: number;
  readonly wrong: readonly StoredAnomaly[];
  readonly recall: number;
  readonly precision: number;
}

/** An anomaly is right if the device has an episode of its kind at that time. Kinds that are also true of an episode are not counted. */
export function qualityOf(kind: AnomalyKind, all: readonly Simulated[]): Quality {
  const results = all.map(({ episodes, reported }) => {
    const fits = (it: StoredAnomaly, episode: Episode) =>
      it.device === episode.device &&
      it.lastMs >= beginMs + episode.startSec * 1000 &&
      it.firstMs <= beginMs + episode.endSec * 1000 + 2 * 3_600_000;
    const ofKind = reported.filter((it) => it.kind === kind);
    const missed = episodes.filter((it) => it.kind === kind && !ofKind.some((one) => fits(one, it)));
    const right = ofKind.filter((it) => episodes.some((one) => one.kind === kind && fits(it, one)));
    const wrong = ofKind.filter(
      (it) => !right.includes(it) && !episodes.some((one) => one.also.includes(kind) && fits(it, one)),
    );
    return {
      found: episodes.filter((it) => it.kind === kind).length - missed.length,
      missed,
      right: right.length,
      wrong,
    };
  });
  const found = results.reduce((sum, it) => sum + it.found, 0);
  const right = results.reduce((sum, it) => sum + it.right, 0);
  const missed = results.flatMap((it) => it.missed);
  const wrong = results.flatMap((it) => it.wrong);
  return {
    found,
    missed,
    right,
    wrong,
    recall: found / Math.max(1, found + missed.length),
    precision: right / Math.max(1, right + wrong.length),
  };
}
