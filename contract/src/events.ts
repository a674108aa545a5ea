import Type, { type Static } from "typebox";
import { endpoint } from "./endpoint.ts";
import { anomalyKinds } from "./subsystems/anomalies.ts";
import { captureEnds } from "./subsystems/captures.ts";
import { Id, named, Nullable, OneOf, PathStatus, reasonFields, sentenceFields, Timestamp } from "./values.ts";

/** Why a change was reverted. */
const revertReasons = ["requested", "not confirmed in time"] as const;
export type RevertReason = (typeof revertReasons)[number];

const whyFallback = reasonFields("Reason of the effect, as a sentence");

/** Many devices that change together are one event. */
const omitted = Type.Integer({ description: "Further devices, which are not listed" });
const KnownDevices = Type.Array(
  Type.Object({ device_id: Id, name: Type.String(), mac: Type.String(), interface: Type.String() }),
  { description: "Known devices, 20 at most" },
);

const shortAlert = Type.Object({
  id: Id,
  rule: Type.String(),
  severity: OneOf(["critical", "warning", "info"]),
  name: Type.String({ description: "Name of the resource; empty: the gateway" }),
  ...reasonFields("What happened, as a sentence"),
});

const shortAnomaly = Type.Object({
  id: Id,
  device_id: Type.String(),
  name: Type.String({ description: "Name of the device" }),
  kind: OneOf(anomalyKinds),
  score: Type.Number({ description: "0.5 at the threshold, towards 1" }),
  ...reasonFields("What was observed, as a sentence"),
});

const certificate = {
  id: Type.String({ description: "Its fingerprint, or the alert channel whose receiver has it" }),
  name: Type.String({
    description: "What it belongs to: API, a tunnel and the block of its file, or an alert channel",
  }),
  subject: Type.String(),
  expires_at: { ...Timestamp, description: "Of a receiver that was refused: when that was noticed" },
};
const whyCertificate = reasonFields("What is wrong with it, as a sentence");

/** Every event of the daemon with its payload. */
export const eventPayloads = {
  "revision.published": Type.Object({ revision: Type.Integer(), cause: Type.String(), actor: Type.String() }),
  "revision.applied": Type.Object({ revision: Type.Integer() }),
  "change.pending": Type.Object({ revision: Type.Integer(), deadline: Timestamp }),
  "change.confirmed": Type.Object({ revision: Type.Integer() }),
  "change.reverted": Type.Object({ revision: Type.Integer(), reason: OneOf(revertReasons) }),
  "enforcement.provisional": Type.Object({ deadline: Timestamp }),
  "enforcement.confirmed": Type.Object({ by: Type.String(), how: Type.String() }),
  "enforcement.reverted": Type.Object(reasonFields("Why it was reverted, as a sentence")),
  "audit.recorded": Type.Object({
    id: Type.Integer(),
    action: Type.String(),
    resource_type: Type.String(),
    resource_id: Type.String(),
  }),
  "auth.login_failed": Type.Object({
    method: OneOf(["password", "key", "setup_code"]),
    username: Nullable(Type.String({ description: "null: there is no such account, or none was named" })),
    address: Type.String({ description: "Where it came from" }),
    omitted: Type.Integer({
      description: "Failures since the last such event that were not reported, because there were too many",
    }),
  }),
  "schedule.started": Type.Object({ id: Id, name: Type.String() }),
  "schedule.ended": Type.Object({ id: Id, name: Type.String() }),
  "exception.started": Type.Object({ id: Id, type: Type.String(), device_id: Id, expires_at: Timestamp }),
  "exception.ended": Type.Object({
    id: Id,
    type: Type.String(),
    device_id: Id,
    reason: OneOf(["expired", "removed"]),
  }),
  "pause.started": Type.Object({
    id: Id,
    type: Type.String(),
    source_type: Type.String(),
    source_value: Type.String(),
    domain: Nullable(Type.String()),
    expires_at: Timestamp,
  }),
  "pause.ended": Type.Object({
    id: Id,
    type: Type.String(),
    source_type: Type.String(),
    source_value: Type.String(),
    domain: Nullable(Type.String()),
    reason: OneOf(["expired", "removed"]),
  }),
  "device.discovered": Type.Object({
    devices: Type.Array(
      Type.Object({
        mac: Type.String(),
        name: Nullable(Type.String({ description: "As the device calls itself" })),
        vendor: Nullable(Type.String()),
        addresses: Type.Array(Type.String()),
        interface: Type.String(),
      }),
      { description: "Unknown devices that appeared on a LAN, 20 at most" },
    ),
    omitted,
  }),
  "device.online": Type.Object({ devices: KnownDevices, omitted }),
  "device.offline": Type.Object({ devices: KnownDevices, omitted }),
  "device.port_scan": Type.Object({
    device_id: Nullable(Id),
    name: Type.String({ description: "Its name; of an unknown device, the MAC address" }),
    targets: Type.Integer({
      description:
        "Different combinations of address, protocol and port that it tried since the last such event; at least so many",
    }),
    examples: Type.Array(Type.String(), {
      description:
        "Some of them, 5 at most. Empty: the log level of the device's class does not allow destinations, or it is unknown",
    }),
  }),
  "port_scan.incomplete": Type.Object({
    packets: Type.Integer({ description: "First packets of connections that could not be recorded" }),
  }),
  "drift.detected": Type.Object({ items: Type.Integer(), first: Type.String() }),
  "uplink.state": Type.Object({
    name: Type.String(),
    interface: Type.String(),
    from: PathStatus,
    to: PathStatus,
    ...reasonFields("Reason of the new status, as a sentence"),
  }),
  "uplink.switched": Type.Object({
    from: Nullable(Type.String({ description: "null: there was none" })),
    to: Nullable(Type.String({ description: "null: there is none that works" })),
    ...reasonFields("Reason of the switch, as a sentence"),
  }),
  "tunnel.state": Type.Object({
    id: Id,
    name: Type.String(),
    from: Type.String(),
    to: Type.String(),
    ...reasonFields("Reason of the new status, as a sentence"),
  }),
  "tunnel.down": Type.Object({ id: Id, name: Type.String(), ...reasonFields("Why it is down, as a sentence") }),
  "tunnel.address_refused": Type.Object({
    id: Id,
    name: Type.String(),
    ...reasonFields("Why the addresses are refused, as a sentence"),
  }),
  "tunnel.flap": Type.Object({ id: Id, name: Type.String(), changes: Type.Integer(), window_sec: Type.Integer() }),
  "policy.direct_fallback": Type.Object({ policy_id: Id, name: Type.String(), ...whyFallback }),
  "policy.blocked": Type.Object({ policy_id: Id, name: Type.String(), ...whyFallback }),
  "policy.restored": Type.Object({
    policy_id: Id,
    name: Type.String(),
    from: OneOf(["blocked", "direct"], { description: "The effect that the failure of its hops had" }),
    ...reasonFields("Reason of its current effect, as a sentence"),
  }),
  "leak.detected": Type.Object({
    device_id: Nullable(Id),
    name: Type.String(),
    cause: Type.String(),
    ...sentenceFields("message", "The finding, as a sentence"),
  }),
  "leak.cleared": Type.Object({ device_id: Nullable(Id), name: Type.String() }),
  "leak.progress": Type.Object({ checked: Type.Integer(), devices: Type.Integer() }),
  "leak.checked": Type.Object({ verdict: Type.String(), devices: Type.Integer(), leaking: Type.Integer() }),
  "dns.bypass": Type.Object({ device_id: Nullable(Id), name: Type.String(), packets: Type.Integer() }),
  "killswitch.engaged": Type.Object({ device_id: Nullable(Id), name: Type.String(), packets: Type.Integer() }),
  "dns.plane_down": Type.Object(reasonFields("Which part does not work and why, as a sentence")),
  "dns.plane_up": Type.Object(reasonFields("The new state, as a sentence")),
  "dns.list_updated": Type.Object({ id: Id, name: Type.String(), entries: Type.Integer() }),
  "dns.list_failed": Type.Object({
    id: Id,
    name: Type.String(),
    ...reasonFields("Why it was not read, as a sentence"),
  }),
  "dns.clock_suspect": Type.Object(reasonFields("Why the clock is suspect, as a sentence")),
  "resource.exhausted": Type.Object({
    id: Type.String({ description: "Such as disk:/var/lib/portcullis, memory, files or conntrack" }),
    ...reasonFields("How much is used and left, as a sentence"),
  }),
  "resource.recovered": Type.Object({ id: Type.String() }),
  "certificate.expiring": Type.Object({ ...certificate, ...whyCertificate }),
  "certificate.expired": Type.Object({ ...certificate, ...whyCertificate }),
  "certificate.not_yet_valid": Type.Object({ ...certificate, ...whyCertificate }),
  "certificate.renewed": Type.Object(certificate, {
    description: "It was replaced, is not used any more, or is valid",
  }),
  "alert.raised": shortAlert,
  "alert.resolved": shortAlert,
  "alert.undelivered": Type.Object({
    id: { ...Id, description: "Of the message that was given up" },
    channel_id: Id,
    rule: Type.String(),
    severity: OneOf(["critical", "warning", "info"]),
  }),
  "mqtt.connected": Type.Object({ host: Type.String({ description: "The broker" }) }),
  "mqtt.disconnected": Type.Object({
    host: Type.String({ description: "The broker" }),
    ...reasonFields("Why the connection ended or cannot be opened, as a sentence"),
  }),
  "anomaly.detected": shortAnomaly,
  "anomaly.ended": shortAnomaly,
  "capture.started": Type.Object({
    id: Id,
    interface: Type.String(),
    filter: Type.String({ description: "Empty: all packets" }),
  }),
  "capture.ended": Type.Object({
    id: Id,
    interface: Type.String(),
    reason: captureEnds,
    packets: Type.Integer({ description: "Recorded packets" }),
  }),
  "daemon.stopping": Type.Object({}),
} as const;

export type EventName = keyof typeof eventPayloads;
export type EventPayload<N extends EventName> = Static<(typeof eventPayloads)[N]>;
/** Sends an event to every subscriber. */
export type Announce = <N extends EventName>(name: N, payload: EventPayload<N>) => void;

const Event = named(
  "Event",
  Type.Object({
    id: Type.Integer({ description: "Grows by one; send it back as Last-Event-ID to miss nothing" }),
    event: Type.Enum(Object.keys(eventPayloads) as EventName[], { type: "string" }),
    at: Timestamp,
    data: Type.Record(Type.String(), Type.Unknown()),
  }),
);
export type Event = Static<typeof Event>;

export const events = {
  stream: endpoint({
    method: "GET",
    path: "/events",
    role: "viewer",
    summary: "Live events, as server-sent events",
    description:
      "Each message has an id, an event name and JSON data. A comment line every 15 seconds keeps the connection open.",
    result: Event,
    responseType: "text/event-stream",
    cli: { words: ["events"] },
    errors: ["limit_reached"],
  }),
};
