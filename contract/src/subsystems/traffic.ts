import Type, { type Static } from "typebox";
import { closed } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { IdOrName, named, Nullable, OneOf, optionalReasonFields, Timestamp } from "../values.ts";

const Bytes = (description: string) => Type.Integer({ description });

const rates = {
  sent_bytes_per_sec: Nullable(Type.Number({ description: "null: not measured now" })),
  received_bytes_per_sec: Nullable(Type.Number({ description: "null: not measured now" })),
};
const today = {
  sent_bytes_today: Bytes("Since midnight in the time zone of the gateway"),
  received_bytes_today: Bytes("Since midnight in the time zone of the gateway"),
};
const now = { ...rates, ...today };

export const TrafficSummary = named(
  "TrafficSummary",
  Type.Object({
    measuring: Type.Boolean({ description: "Whether traffic is measured now" }),
    ...optionalReasonFields("Why traffic is not measured now; empty: it is"),
    measured_at: Nullable({ ...Timestamp, description: "When the counters were last read; null: not since the start" }),
    interval_sec: Nullable(Type.Number({ description: "Between the last two readings; the rates are means of it" })),
    total: named(
      "TrafficTotal",
      Type.Object(now, {
        description: "All devices. Devices whose class has the log level none are not included",
      }),
    ),
    devices: Type.Array(
      named("DeviceTraffic", Type.Object({ device_id: Type.String(), device_name: Type.String(), ...now })),
      { description: "Devices with traffic today, the largest first. Those with the log level none are never listed" },
    ),
    policies: Type.Array(
      named("PolicyTraffic", Type.Object({ policy_id: Type.String(), policy_name: Type.String(), ...now })),
      { description: "Policies with traffic today, the largest first" },
    ),
    tunnels: Type.Array(
      named("TunnelTraffic", Type.Object({ tunnel_id: Type.String(), tunnel_name: Type.String(), ...now })),
      { description: "By the counters of its interface" },
    ),
    uplinks: Type.Array(
      named("UplinkTraffic", Type.Object({ uplink_name: Type.String(), interface: Type.String(), ...now })),
      { description: "By the counters of its interface, with the gateway's own packets" },
    ),
  }),
);
export type TrafficSummary = Static<typeof TrafficSummary>;

export const TrafficResolution = OneOf(["raw", "minute", "hour", "day"], {
  description:
    "Width of an interval: raw is 10 seconds, kept for 6 hours; minutes for 3 days, hours for 100 days, days, in UTC, for " +
    "400 days. Without it, the finest one that has the whole range in at most 400 intervals",
});

const amounts = {
  sent_bytes: Bytes("With the headers of IP"),
  received_bytes: Bytes("With the headers of IP"),
  sent_packets: Nullable(Type.Integer({ description: "null: not counted at this resolution" })),
  received_packets: Nullable(Type.Integer({ description: "null: not counted at this resolution" })),
  connections: Nullable(
    Type.Integer({
      description: "Connections that began; null: not counted for tunnels, uplinks and at this resolution",
    }),
  ),
};

const TrafficHistory = named(
  "TrafficHistory",
  Type.Object({
    subject: OneOf(["total", "device", "policy", "tunnel", "uplink"]),
    subject_id: Nullable(Type.String({ description: "Id; of an uplink, its interface; null for the total" })),
    subject_name: Nullable(Type.String()),
    since: Timestamp,
    until: Timestamp,
    resolution: OneOf(["raw", "minute", "hour", "day"]),
    step_sec: Type.Integer({ description: "Width of an interval" }),
    sum: Type.Object(amounts),
    points: Type.Array(named("TrafficPoint", Type.Object({ timestamp: Timestamp, ...amounts })), {
      description:
        "Oldest first, by the start of the interval. Intervals in which the gateway did not measure are left out; those " +
        "without traffic are zero",
    }),
  }),
);
export type TrafficHistory = Static<typeof TrafficHistory>;

const TrafficDestination = named(
  "TrafficDestination",
  Type.Object({
    destination: Nullable(
      Type.String({
        description:
          "The domain that the device resolved to this address with the gateway's resolver, or else the address; null: the sum of " +
          "smaller destinations that are not stored by name",
      }),
    ),
    sent_bytes: Bytes("With the headers of IP"),
    received_bytes: Bytes("With the headers of IP"),
    connections: Type.Integer({ description: "Connections that began" }),
  }),
);
export type TrafficDestination = Static<typeof TrafficDestination>;

const range = {
  since: Type.Optional({ ...Timestamp, description: "Without it, 24 hours before the end" }),
  until: Type.Optional({ ...Timestamp, description: "Without it, now" }),
};
const anyUplink = Type.String({ minLength: 1, maxLength: 120, description: "Name or interface of an uplink" });

export const traffic = {
  summary: endpoint({
    method: "GET",
    path: "/traffic/summary",
    role: "viewer",
    summary: "Traffic now and today, of devices, policies, tunnels and uplinks",
    description: "The kernel counts; the gateway reads the counters every few seconds.",
    query: closed({}),
    result: TrafficSummary,
    errors: [],
    cli: { words: ["traffic", "now"] },
  }),
  history: endpoint({
    method: "GET",
    path: "/traffic/history",
    role: "viewer",
    summary: "Traffic over time: of a device, a policy, a tunnel or an uplink, or of all devices together",
    query: closed({
      device: Type.Optional(IdOrName("device")),
      policy: Type.Optional(IdOrName("routing_policy", "policy")),
      tunnel: Type.Optional(IdOrName("tunnel")),
      uplink: Type.Optional(anyUplink),
      ...range,
      resolution: Type.Optional(TrafficResolution),
    }),
    result: TrafficHistory,
    errors: ["not_found"],
    cli: { words: ["traffic", "history"] },
  }),
  destinations: endpoint({
    method: "GET",
    path: "/traffic/destinations",
    role: "viewer",
    summary: "Destinations with the most traffic, of one device or of all",
    description:
      "Destinations are stored for devices whose class has the log level full: by hour for 3 days, by day, in UTC, for 100 days. " +
      "Hours count as a whole: the range begins with the one that contains its begin. What began more than 3 days ago has whole days.",
    query: closed({
      device: Type.Optional(IdOrName("device")),
      ...range,
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "Number of destinations" }),
      ),
    }),
    result: Type.Array(TrafficDestination),
    errors: ["not_found"],
    cli: { words: ["traffic", "top"], columns: ["destination", "sent_bytes", "received_bytes", "connections"] },
  }),
};
