import type { Announce } from "@portcullis/contract/events";
import { explained } from "@portcullis/contract/reason";
import type { AnomalySettings } from "@portcullis/contract/subsystems/anomalies";
import type { StoredAnomaly } from "./anomalies.machine.ts";
import type { Countries } from "./countries.ts";
import {
  type DeviceFlow,
  isLearned,
  observeFlows,
  type ObservationContext,
  observeQueries,
  passTime,
} from "./device-observer.ts";
import type { Finding } from "./finding.ts";
import { forgetDestinations, hasDestinations, newProfile, type Profile, profileBytes } from "./profile.ts";
import { type AnomalyRegister, anomalyRegister } from "./register.ts";
import { hashOf } from "./sketches.ts";
import type { AnomalyStore } from "./stored.ts";
import { thresholds } from "./thresholds.ts";

type Level = "full" | "counts" | "none";

interface Needs {
  readonly store: AnomalyStore;
  readonly settings: () => AnomalySettings;
  /** `none`: also for a device that does not exist. */
  readonly levelOf: (device: string) => Level;
  readonly nameOf: (device: string) => string;
  readonly countries: () => Countries | undefined;
  readonly announce: Announce;
}

/** Queries of one device. */
export interface DeviceQueries {
  readonly device: string;
  readonly queries: number;
  /** Those that the log level permits to read. */
  readonly names: readonly string[];
}

/** Logged answers, by device. */
export const queriesOf = (
  answers: readonly { readonly client: string; readonly name: string; readonly keep: "full" | "counts" }[],
  deviceOf: (address: string) => { readonly id: string } | undefined,
): DeviceQueries[] =>
  answers.flatMap(({ client, name, keep }) => {
    const device = deviceOf(client)?.id;
    return device === undefined ? [] : [{ device, queries: 1, names: keep === "full" ? [name] : [] }];
  });

export interface AnomalyPlane {
  readonly onFlows: (flows: readonly DeviceFlow[], atMs: number) => void;
  readonly onQueries: (queries: readonly DeviceQueries[], atMs: number) => void;
  /** Once a minute: completes hours, ends anomalies, and writes what is due. */
  readonly round: (atMs: number) => void;
  /** After a change of devices, classes or settings: removes what may no longer be stored. */
  readonly applyLevels: () => void;
  readonly anomalies: AnomalyRegister["all"];
  readonly baselines: () => readonly Baseline[];
  readonly memoryBytes: () => number;
  readonly close: () => void;
}

export interface Baseline {
  readonly device: string;
  readonly observedDays: number;
  readonly isLearned: boolean;
}

/** Baselines of devices, and deviations from them. */
export function anomalyPlane({ store, settings, levelOf, nameOf, countries, announce }: Needs): AnomalyPlane {
  const profiles = new Map(store.profiles.map((it) => [it.device, it]));
  const dueMs = new Map<string, number>();
  const changed = new Set<string>();
  let isClosed = false;
  const register = anomalyRegister({
    stored: store.anomalies,
    write: store.writeAnomalies,
    onDetected: (it) => announce("anomaly.detected", shortOf(it, nameOf(it.device))),
    onEnded: (it) => announce("anomaly.ended", shortOf(it, nameOf(it.device))),
  });

  const contextAt = (atMs: number): ObservationContext => {
    const { learning_days: learningDays, sensitivity } = settings();
    const known = countries();
    return {
      atMs,
      learningDays,
      limits: thresholds[sensitivity],
      localHour,
      countryOf: (address) => known?.of(address),
    };
  };

  function observe<T extends { readonly device: string }>(
    all: readonly T[],
    atMs: number,
    look: (profile: Profile, it: readonly T[], context: ObservationContext) => Finding[],
  ): void {
    if (isClosed || !settings().enabled) return;
    const context = contextAt(atMs);
    for (const [device, its] of Map.groupBy(all, (it) => it.device)) {
      if (levelOf(device) === "none") continue;
      const profile = profiles.get(device) ?? newProfile(device, atMs);
      profiles.set(device, profile);
      if (!dueMs.has(device)) dueMs.set(device, nextWriteMs(device, atMs));
      changed.add(device);
      register.add(device, look(profile, its, context), atMs);
    }
  }

  function round(atMs: number): void {
    const context = contextAt(atMs);
    for (const [device, profile] of profiles) register.add(device, passTime(profile, context), atMs);
    register.round(atMs);
    const due = [...changed].filter((device) => (dueMs.get(device) ?? 0) <= atMs);
    if (due.length === 0) return;
    write(due);
    for (const device of due) dueMs.set(device, nextWriteMs(device, atMs));
    register.flush();
  }

  function write(devices: readonly string[]): void {
    store.writeProfiles(
      devices.flatMap((it) => profiles.get(it) ?? []),
      [],
    );
    for (const device of devices) changed.delete(device);
  }

  function applyLevels(): void {
    if (isClosed) return;
    const isEnabled = settings().enabled;
    const removed = [...profiles.keys()].filter((it) => !isEnabled || levelOf(it) === "none");
    for (const device of removed) {
      profiles.delete(device);
      changed.delete(device);
      dueMs.delete(device);
    }
    store.writeProfiles([], removed);
    const nameless = [...profiles.values()].filter((it) => levelOf(it.device) === "counts" && hasDestinations(it));
    for (const profile of nameless) forgetDestinations(profile);
    store.writeProfiles(nameless, []);
    register.removeWhere((it) => {
      const level = levelOf(it.device);
      return level === "none" || (level === "counts" && namesDestinations(it));
    });
  }

  return {
    // They were attributed some turns ago: the level may have changed since.
    onFlows: (flows, atMs) =>
      observe(flows, atMs, (profile, its, context) => {
        const mayName = levelOf(profile.device) === "full";
        return observeFlows(profile, mayName ? its : its.map((it) => ({ ...it, to: undefined })), context);
      }),
    onQueries: (queries, atMs) =>
      observe(queries, atMs, (profile, its, context) =>
        its.flatMap((it) => observeQueries(profile, it.queries, it.names, context)),
      ),
    round,
    applyLevels,
    anomalies: register.all,
    baselines: () =>
      [...profiles.values()].map((it) => ({
        device: it.device,
        observedDays: it.numbers.activeDays,
        isLearned: isLearned(it, settings().learning_days),
      })),
    memoryBytes: () => profiles.size * profileBytes,
    close: () => {
      write([...changed]);
      register.flush();
      isClosed = true;
      store.close();
    },
  };
}

/** A crash loses what a device did in this day, which a baseline of weeks does not miss. */
const writtenMs = 24 * 3_600_000;
/** Some devices at a time: together they share pages of the file, and all at once would take long. */
const writtenTogether = 48;

/** When the baseline of a device is written next. */
function nextWriteMs(device: string, atMs: number): number {
  const place = ((hashOf(device) % writtenTogether) * writtenMs) / writtenTogether;
  const due = Math.floor(atMs / writtenMs) * writtenMs + place;
  return due > atMs ? due : due + writtenMs;
}

const namesDestinations = ({ evidence }: StoredAnomaly): boolean =>
  evidence.destinations.length > 0 || evidence.domain !== null || evidence.country !== null;

const shortOf = ({ id, device, kind, score, reason }: StoredAnomaly, name: string) => ({
  id,
  device_id: device,
  name,
  kind,
  score,
  ...explained(reason),
});

const localHour = (ms: number) => {
  const date = new Date(ms);
  return { hour: date.getHours(), isWeekend: date.getDay() % 6 === 0 };
};
