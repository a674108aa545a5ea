import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import { because, explained, type Reason } from "@portcullis/contract/reason";
import {
  type anomalies,
  type Anomaly,
  type AnomalyKind,
  anomalyKinds,
  type AnomalySettings,
  type AnomalyStats,
} from "@portcullis/contract/subsystems/anomalies";
import { pageByNumber } from "../resources.ts";

/** What the detection has, by id of the device. */
export interface AnomalySource {
  readonly anomalies: () => readonly DetectedAnomaly[];
  readonly baselines: () => readonly {
    readonly device: string;
    readonly observedDays: number;
    readonly isLearned: boolean;
  }[];
  readonly memoryBytes: () => number;
}

export interface DetectedAnomaly extends Pick<Anomaly, "id" | "kind" | "score"> {
  readonly number: number;
  readonly device: string;
  readonly reason: Reason;
  readonly evidence: {
    readonly [F in keyof Anomaly["evidence"]]: Readonly<Anomaly["evidence"][F]>;
  };
  readonly firstMs: number;
  readonly lastMs: number;
  readonly endedMs: number | null;
}

interface Needs {
  readonly source: AnomalySource;
  readonly settings: () => AnomalySettings;
  readonly deviceOf: (id: string) => { readonly id: string; readonly name: string } | undefined;
  readonly levelOf: (id: string) => "full" | "counts" | "none";
  /** Why a detector has nothing to measure; null: it has. */
  readonly whyUnavailable: (kind: AnomalyKind) => Reason | null;
  readonly bytesPerDevice: number;
}

export function anomaliesService({ source, settings, deviceOf, levelOf, whyUnavailable, bytesPerDevice }: Needs) {
  const shown = ({ device, firstMs, lastMs, endedMs, reason, evidence, ...it }: DetectedAnomaly): Anomaly => ({
    id: it.id,
    device_id: device,
    device_name: deviceOf(device)?.name ?? "",
    kind: it.kind,
    state: stateOf({ endedMs }),
    score: it.score,
    ...explained(reason),
    first_seen: timestamp(firstMs),
    last_seen: timestamp(lastMs),
    ended_at: endedMs === null ? null : timestamp(endedMs),
    evidence: { ...evidence, measures: [...evidence.measures], destinations: [...evidence.destinations] },
  });

  function list({ query }: InputOf<typeof anomalies.list>) {
    const { device, kind, state, min_score: least = 0, since, ...page } = query;
    if (device !== undefined && !deviceOf(device))
      throw new Problem("not_found", { id: device }, { message: "No device has this id" });
    const sinceMs = since === undefined ? 0 : Date.parse(since);
    const wanted = source
      .anomalies()
      .filter(
        (it) =>
          (device === undefined || it.device === device) &&
          (kind === undefined || it.kind === kind) &&
          (state === undefined || stateOf(it) === state) &&
          it.score >= least &&
          it.lastMs >= sinceMs,
      );
    const { items, ...rest } = pageByNumber(wanted, (it) => maxNumber - it.number, page);
    return { items: items.map(shown), ...rest };
  }

  /** Each detector with its anomalies, and whether it has what it measures. */
  function kinds(): AnomalyStats["kinds"] {
    const counts = new Map<string, number>();
    for (const it of source.anomalies()) {
      const key = `${it.kind} ${stateOf(it)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return anomalyKinds.map((kind) => {
      const why = settings().enabled ? whyUnavailable(kind) : because("anomalies_disabled");
      return {
        kind,
        open: counts.get(`${kind} open`) ?? 0,
        ended: counts.get(`${kind} ended`) ?? 0,
        available: why === null,
        ...explained(why),
      };
    });
  }

  function stats(): AnomalyStats {
    const all = source.anomalies();
    const count = (keep: (it: DetectedAnomaly) => boolean) => all.filter(keep).length;
    const isOpen = ({ endedMs }: DetectedAnomaly) => endedMs === null;
    const given = settings();
    const devices = source
      .baselines()
      .flatMap(({ device: id, observedDays, isLearned }) => {
        const device = deviceOf(id);
        const level = levelOf(id);
        if (!device || level === "none") return [];
        return {
          device_id: id,
          device_name: device.name,
          log_level: level,
          state: isLearned ? ("ready" as const) : ("learning" as const),
          observed_days: observedDays,
          progress: Math.min(1, Math.round((100 * observedDays) / given.learning_days) / 100),
          open: count((it) => it.device === id && isOpen(it)),
        };
      })
      .toSorted((a, b) => (a.device_name < b.device_name ? -1 : 1));
    return {
      ...given,
      open: count(isOpen),
      ended: count((it) => !isOpen(it)),
      kinds: kinds(),
      learning: devices.filter(({ state }) => state === "learning").length,
      devices,
      memory_bytes: source.memoryBytes(),
      bytes_per_device: bytesPerDevice,
    };
  }

  return { list, stats, kinds };
}

const stateOf = ({ endedMs }: Pick<DetectedAnomaly, "endedMs">): Anomaly["state"] =>
  endedMs === null ? "open" : "ended";

const timestamp = (ms: number): string => new Date(ms).toISOString();

const maxNumber = 1_000_000_000;
