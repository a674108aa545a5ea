import Type, { type Static } from "typebox";
import { closed, optionals, pageOf } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, IdOrName, named, Nullable, OneOf, optionalReasonFields, reasonFields, Timestamp } from "../values.ts";

export const anomalyKinds = [
  "exfiltration",
  "beaconing",
  "dns_tunnelling",
  "new_country",
  "unusual_hours",
  "query_rate",
] as const;
export type AnomalyKind = (typeof anomalyKinds)[number];

const AnomalyKindWord = OneOf(anomalyKinds, {
  description:
    "exfiltration: uploads beyond the baseline; beaconing: connections to a new destination at regular intervals; dns_tunnelling: " +
    "many long, random names below one domain; new_country: destinations in a country without earlier traffic; unusual_hours: activity at an " +
    "hour at which there was none; query_rate: more DNS queries than the baseline",
});
const AnomalyState = OneOf(["open", "ended"], {
  description: "ended: the deviation was not observed for six hours; of beaconing and new_country, for a day",
});

const AnomalyMeasure = named(
  "AnomalyMeasure",
  Type.Object({
    measure: OneOf([
      "sent_in_day",
      "sent_to_destination",
      "interval",
      "interval_variation",
      "contacts",
      "names",
      "name_length",
      "name_entropy",
      "connections",
      "new_countries_per_week",
      "transferred_in_hour",
      "queries_in_hour",
    ]),
    observed: Type.Number(),
    expected: Nullable(
      Type.Number({
        description: "The baseline, or the value from which the detector reports; null: the measure has none",
      }),
    ),
    unit: OneOf([
      "bytes",
      "seconds",
      "percent",
      "contacts",
      "names",
      "characters",
      "bits",
      "connections",
      "countries",
      "queries",
    ]),
  }),
);
export type AnomalyMeasure = Static<typeof AnomalyMeasure>;

export const Anomaly = named(
  "Anomaly",
  Type.Object({
    id: Id,
    device_id: Type.String(),
    device_name: Type.String(),
    kind: AnomalyKindWord,
    state: AnomalyState,
    score: Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Distance from the threshold: 0.5 at it, 0.75 at three times it. The highest since it was detected",
    }),
    ...reasonFields("What was observed, as a sentence"),
    first_seen: Timestamp,
    last_seen: Timestamp,
    ended_at: Nullable(Timestamp),
    evidence: Type.Object({
      measures: Type.Array(AnomalyMeasure),
      destinations: Type.Array(Type.String(), { description: "Domains, or networks of addresses without a name" }),
      domain: Nullable(Type.String({ description: "Of dns_tunnelling" })),
      country: Nullable(Type.String({ description: "Of new_country: two letters of ISO 3166" })),
    }),
  }),
);
export type Anomaly = Readonly<Static<typeof Anomaly>>;

const settings = {
  enabled: Type.Boolean({
    description:
      "false: no device is profiled, and the stored baselines are deleted. Anomalies stay until they are 90 days old",
  }),
  sensitivity: OneOf(["low", "medium", "high"], { description: "high reports smaller deviations" }),
  learning_days: Type.Integer({
    minimum: 3,
    maximum: 60,
    description: "Days with traffic or queries of a device before a deviation is reported",
  }),
};

const AnomalySettings = named("AnomalySettings", Type.Object(settings));
export type AnomalySettings = Readonly<Static<typeof AnomalySettings>>;

const AnomalyStats = named(
  "AnomalyStats",
  Type.Object({
    ...settings,
    open: Type.Integer(),
    ended: Type.Integer({ description: "Within the last 90 days" }),
    kinds: Type.Array(
      named(
        "AnomalyDetector",
        Type.Object({
          kind: AnomalyKindWord,
          open: Type.Integer(),
          ended: Type.Integer(),
          available: Type.Boolean({ description: "Whether the detector has what it measures" }),
          ...optionalReasonFields("Why it is not available; empty: it is"),
        }),
      ),
    ),
    learning: Type.Integer({ description: "Devices whose baseline is not complete" }),
    devices: Type.Array(
      named(
        "AnomalyBaseline",
        Type.Object({
          device_id: Type.String(),
          device_name: Type.String(),
          log_level: OneOf(["full", "counts"], {
            description: "counts: only volumes, query rate and hours. Devices with the level none have no baseline",
          }),
          state: OneOf(["learning", "ready"]),
          observed_days: Type.Integer({ description: "Days with traffic or queries" }),
          progress: Type.Number({ minimum: 0, maximum: 1 }),
          open: Type.Integer({ description: "Its open anomalies" }),
        }),
      ),
      { description: "Devices with a baseline, by name" },
    ),
    memory_bytes: Type.Integer({ description: "Of all baselines" }),
    bytes_per_device: Type.Integer({ description: "It is the same for each device" }),
  }),
);
export type AnomalyStats = Readonly<Static<typeof AnomalyStats>>;

export const anomalies = {
  list: endpoint({
    method: "GET",
    path: "/anomalies",
    role: "viewer",
    summary: "Deviations of devices from their baselines, newest first",
    description: "Ended ones are kept for 90 days, 2,000 at most.",
    query: pageOf({
      device: IdOrName("device"),
      kind: AnomalyKindWord,
      state: AnomalyState,
      min_score: Type.Number({ minimum: 0, maximum: 1 }),
      since: { ...Timestamp, description: "Observed at this time or later" },
    }),
    result: Type.Array(Anomaly),
    paged: true,
    errors: ["not_found"],
    cli: { words: ["anomalies", "list"], columns: ["device_name", "kind", "state", "score", "last_seen", "reason"] },
  }),
  stats: endpoint({
    method: "GET",
    path: "/anomalies/stats",
    role: "viewer",
    summary: "Anomalies by kind, baselines of devices with their progress, and which detectors are available",
    query: closed({}),
    result: AnomalyStats,
    errors: [],
    cli: { words: ["anomalies", "stats"] },
  }),
  settings: endpoint({
    method: "GET",
    path: "/anomalies/settings",
    role: "viewer",
    summary: "Settings of the detection of anomalies",
    result: AnomalySettings,
    errors: [],
    cli: { words: ["anomalies", "settings"] },
  }),
  updateSettings: endpoint({
    method: "PUT",
    path: "/anomalies/settings",
    role: "operator",
    summary: "Change the settings of the detection of anomalies",
    description: "Fields that are not given keep their value.",
    body: named("AnomalySettingsUpdate", closed(optionals(settings))),
    result: AnomalySettings,
    errors: ["change_pending"],
    audit: { verb: "update", noun: "anomaly_detection" },
    cli: { words: ["anomalies", "configure"] },
  }),
};
