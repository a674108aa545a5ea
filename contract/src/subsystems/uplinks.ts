import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { InterfaceName, IpAddress, Name, named, Nullable, OneOf, Timestamp } from "../values.ts";

/** Asked whether they answer, unless an operator names others. They are run by two parties that do not fail together. */
export const defaultProbeTargets = ["1.1.1.1", "9.9.9.9"] as const;

const optional = {
  priority: Type.Integer({ minimum: 0, maximum: 1000, default: 100, description: "The lower number is preferred" }),
  enabled: Type.Boolean({ default: true, description: "Whether it may be used at all" }),
  probe_targets: Type.Array(IpAddress, {
    minItems: 1,
    maxItems: 8,
    uniqueItems: true,
    description: `Addresses that are asked whether the Internet is there; ${defaultProbeTargets.join(" and ")} unless given`,
  }),
};
const required = { name: Name, interface: InterfaceName };

export const Uplink = named("Uplink", Type.Object({ ...required, ...optional }));
export type Uplink = Static<typeof Uplink>;

const FailoverMode = OneOf(["manual", "auto"], {
  description: "manual: the chosen uplink stays, whatever happens to it; auto: the best one that works is used",
});
const Active = Nullable({ ...Name, description: "The uplink chosen by hand; null: the preferred one that is enabled" });

export const WanUplinks = named(
  "WanUplinks",
  Type.Object({ wan_failover_mode: FailoverMode, active: Active, uplinks: Type.Array(Uplink) }),
);
export type WanUplinks = Static<typeof WanUplinks>;

const Loss = Nullable(
  Type.Number({ description: "Part of the last probes that went unanswered, from 0 to 1; null: not measured" }),
);
const UplinkStatus = OneOf(["unknown", "down", "connecting", "up", "degraded", "failed"], {
  description: "unknown: it is not probed; of the others only up and degraded forward packets",
});
const RttMs = Nullable(Type.Number({ description: "Round trip of the last probes; null when none was answered" }));
const Milliseconds = (description: string) => Type.Integer({ minimum: 0, description });

export const UplinkDecisions = named(
  "UplinkDecisions",
  Type.Object({
    mode: FailoverMode,
    active: Nullable(Type.String({ description: "Uplink that carries packets now; null: none does" })),
    since: Nullable(Timestamp),
    decision: Type.String({ description: "What was decided last and why, as a sentence" }),
    uplinks: Type.Array(
      Type.Object({
        name: Type.String(),
        interface: Type.String(),
        role: OneOf(["active", "standby", "unusable"]),
        status: UplinkStatus,
        reason: Type.String(),
        rtt_ms: RttMs,
        loss: Loss,
        flaps: Type.Integer({ minimum: 0, description: "Times it fell within the window" }),
        pinned_until: Nullable({ ...Timestamp, description: "It fell too often and is not returned to before" }),
      }),
    ),
    switches: Type.Array(
      Type.Object({
        at: Timestamp,
        from: Nullable(Type.String()),
        to: Nullable(Type.String()),
        reason: Type.String(),
      }),
      { description: "Newest first" },
    ),
    timing: Type.Object({
      probe_interval_ms: Milliseconds("Between two probes of an uplink"),
      fail_after_ms: Milliseconds("Silence after which it counts as failed"),
      hold_ms: Milliseconds("Shortest time between two switches"),
      return_after_sec: Type.Integer({ minimum: 0, description: "A preferred uplink must be well this long" }),
      flap_limit: Type.Integer({ minimum: 0, description: "Falls within the window that pin it" }),
      flap_window_sec: Type.Integer({ minimum: 0 }),
      pin_sec: Type.Integer({ minimum: 0, description: "How long it is left alone then" }),
    }),
  }),
);
export type UplinkDecisions = Static<typeof UplinkDecisions>;

export const UplinkHealth = named(
  "UplinkHealth",
  Type.Object({
    name: Type.String(),
    interface: Type.String(),
    reachable: Nullable(
      Type.Boolean({ description: "Whether the Internet answered through it; null: it is not probed" }),
    ),
    status: UplinkStatus,
    targets: Type.Array(IpAddress),
    rtt_ms: RttMs,
    loss: Loss,
    gateway_v4: Nullable(Type.String({ description: "Next hop; null: there is none, or none is needed" })),
    gateway_v6: Nullable(Type.String()),
    reason: Type.String(),
    checked_at: Nullable(Timestamp),
  }),
);
export type UplinkHealth = Static<typeof UplinkHealth>;

export const uplinks = {
  get: endpoint({
    method: "GET",
    path: "/system/wan-uplinks",
    role: "viewer",
    summary: "The uplinks, and how one of them is chosen",
    result: WanUplinks,
    errors: [],
  }),
  put: endpoint({
    method: "PUT",
    path: "/system/wan-uplinks",
    role: "operator",
    summary: "Replace the uplinks, or change how one of them is chosen; at once",
    description: "Fields that are not given keep their value. The list of uplinks is replaced as a whole.",
    body: named(
      "WanUplinksUpdate",
      closed(
        optionals({
          wan_failover_mode: FailoverMode,
          active: Active,
          uplinks: Type.Array(closed({ ...required, ...optionals(optional) }), { minItems: 1, maxItems: 8 }),
        }),
      ),
    ),
    result: WanUplinks,
    errors: ["conflict", "change_pending"],
    audit: { verb: "update", noun: "uplinks" },
  }),
  decisions: endpoint({
    method: "GET",
    path: "/system/wan-manager",
    role: "viewer",
    summary: "Which uplink carries packets, why, and when that changed",
    result: UplinkDecisions,
    errors: [],
  }),
  health: endpoint({
    method: "GET",
    path: "/system/wan-health",
    role: "viewer",
    summary: "Whether the Internet is there behind each uplink",
    result: Type.Array(UplinkHealth),
    errors: [],
  }),
};
