import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import {
  InterfaceName,
  IpAddress,
  Name,
  named,
  Nullable,
  OneOf,
  reasonFields,
  sentenceFields,
  Timestamp,
} from "../values.ts";

/** Default targets of the probes. Two organisations operate them, so that they do not fail together. */
export const defaultProbeTargets = ["1.1.1.1", "9.9.9.9"] as const;

const optional = {
  priority: Type.Integer({ minimum: 0, maximum: 1000, default: 100, description: "The lower number is preferred" }),
  enabled: Type.Boolean({ default: true, description: "Whether it may be used" }),
  probe_targets: Type.Array(IpAddress, {
    minItems: 1,
    maxItems: 8,
    uniqueItems: true,
    description: `Addresses that are probed to check Internet access; ${defaultProbeTargets.join(" and ")} unless given`,
  }),
};
const required = { name: Name, interface: InterfaceName };

export const Uplink = named("Uplink", Type.Object({ ...required, ...optional }));
export type Uplink = Static<typeof Uplink>;

const FailoverMode = OneOf(["manual", "auto"], {
  description: "manual: the chosen uplink is used, even if it fails; auto: the best one that works is used",
});
const Active = Nullable({
  ...Name,
  description: "The uplink that the operator chose; null: the preferred one that is enabled",
});

export const WanUplinks = named(
  "WanUplinks",
  Type.Object({ wan_failover_mode: FailoverMode, active: Active, uplinks: Type.Array(Uplink) }),
);
export type WanUplinks = Static<typeof WanUplinks>;

const Loss = Nullable(Type.Number({ description: "Share of lost probes, from 0 to 1; null: not measured" }));
const UplinkStatus = OneOf(["unknown", "down", "connecting", "up", "degraded", "failed"], {
  description: "unknown: not probed; of the others only up and degraded forward packets",
});
const RttMs = Nullable(Type.Number({ description: "Round trip of the last probes; null: none was answered" }));
const Milliseconds = (description: string) => Type.Integer({ minimum: 0, description });

export const UplinkDecisions = named(
  "UplinkDecisions",
  Type.Object({
    mode: FailoverMode,
    active: Nullable(Type.String({ description: "Uplink in use; null: none" })),
    since: Nullable(Timestamp),
    ...sentenceFields("decision", "The last decision and its reason, as a sentence"),
    uplinks: Type.Array(
      Type.Object({
        name: Type.String(),
        interface: Type.String(),
        role: OneOf(["active", "standby", "unusable"]),
        status: UplinkStatus,
        ...reasonFields("Reason of the status, as a sentence"),
        rtt_ms: RttMs,
        loss: Loss,
        flaps: Type.Integer({ minimum: 0, description: "Number of failures within the window" }),
        pinned_until: Nullable({
          ...Timestamp,
          description: "It failed too often and is not used again before this time",
        }),
      }),
    ),
    switches: Type.Array(
      Type.Object({
        at: Timestamp,
        from: Nullable(Type.String()),
        to: Nullable(Type.String()),
        ...reasonFields("Reason of the switch, as a sentence"),
      }),
      { description: "Newest first" },
    ),
    timing: Type.Object({
      probe_interval_ms: Milliseconds("Between two probes of an uplink"),
      fail_after_ms: Milliseconds("Time without an answer after which it counts as failed"),
      hold_ms: Milliseconds("Minimum time between two switches"),
      return_after_sec: Type.Integer({
        minimum: 0,
        description: "Time that a preferred uplink must be up before it is used again",
      }),
      flap_limit: Type.Integer({ minimum: 0, description: "Number of failures within the window that pin it" }),
      flap_window_sec: Type.Integer({ minimum: 0 }),
      pin_sec: Type.Integer({ minimum: 0, description: "Duration of the pin" }),
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
      Type.Boolean({ description: "Whether the Internet is reachable through it; null: not probed" }),
    ),
    status: UplinkStatus,
    targets: Type.Array(IpAddress),
    rtt_ms: RttMs,
    loss: Loss,
    gateway_v4: Nullable(Type.String({ description: "Next hop; null: none, or none is needed" })),
    gateway_v6: Nullable(Type.String()),
    ...reasonFields("Reason of the status, as a sentence"),
    checked_at: Nullable(Timestamp),
  }),
);
export type UplinkHealth = Static<typeof UplinkHealth>;

export const uplinks = {
  get: endpoint({
    method: "GET",
    path: "/system/wan-uplinks",
    role: "viewer",
    summary: "The uplinks, and the failover mode",
    result: WanUplinks,
    errors: [],
  }),
  put: endpoint({
    method: "PUT",
    path: "/system/wan-uplinks",
    role: "operator",
    summary: "Replace the uplinks, or change the failover mode, immediately",
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
    summary: "The uplink in use, the reason, and the last switches",
    result: UplinkDecisions,
    errors: [],
  }),
  health: endpoint({
    method: "GET",
    path: "/system/wan-health",
    role: "viewer",
    summary: "Internet access of each uplink",
    result: Type.Array(UplinkHealth),
    errors: [],
  }),
};
