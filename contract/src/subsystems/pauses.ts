import Type, { type Static } from "typebox";
import { closed, Deleted, optionals, pageOf } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, named, Nullable, OneOf, Text, Timestamp } from "../values.ts";
import { Domain } from "./dns-source.ts";

export const pauseTypes = ["filtering", "protection", "allow-domain", "block-domain"] as const;
export type PauseType = (typeof pauseTypes)[number];

const PauseTypeName = OneOf(pauseTypes, {
  description:
    "filtering: DNS filtering blocks nothing; protection: packets leave by the uplink directly, in the clear; allow-domain: a domain and the names below it are not blocked; block-domain: they are blocked",
});

const pauseSourceTypes = ["everyone", "device", "device_group"] as const;
export type PauseSourceType = (typeof pauseSourceTypes)[number];

const PauseSourceTypeName = OneOf(pauseSourceTypes, {
  description: "Whom it is for. A device that joins a paused group is paused, too, and one that leaves it is not",
});

/** Minutes. A longer duration is refused: what lasts longer than a day is a change of the configuration. */
export const pauseMinutes = { maximum: 1440 } as const;

const pauseObstacles = ["require_tunnel", "quarantined", "no_address"] as const;
export type PauseObstacle = (typeof pauseObstacles)[number];

const Unpaused = Type.Object({
  device_id: Id,
  name: Type.String(),
  obstacle: OneOf(pauseObstacles, {
    description:
      "require_tunnel: its privacy class permits no direct packet; quarantined: it is blocked; no_address: it has neither MAC address nor IP address",
  }),
});

const SourceName = Type.String({ description: "Name of the device or the group; empty: everyone, or it was deleted" });
const DurationMin = Type.Integer({ minimum: 1, maximum: pauseMinutes.maximum, description: "Duration in minutes" });

const fields = {
  id: Id,
  type: PauseTypeName,
  source_type: PauseSourceTypeName,
  source_value: Type.String({ description: "Id of the device or the group; empty for everyone" }),
  source_name: SourceName,
  domain: Nullable(Type.String({ description: "Of allow-domain and block-domain" })),
  duration_min: Type.Integer({ description: "Duration in minutes" }),
  reason: Type.String(),
  actor: Type.String({ description: "Actor that created it" }),
  created_at: Timestamp,
  expires_at: Timestamp,
  ended_at: Nullable(Timestamp),
  active: Type.Boolean(),
  remaining_sec: Type.Integer({ description: "Seconds until its end; 0: it has ended" }),
  unpaused: Type.Array(Unpaused, {
    description:
      "Devices whose protection is not paused although they are in the group, or part of everyone; 100 at most",
  }),
  unpaused_total: Type.Integer({ description: "Number of these devices" }),
};
const Enforced = Type.Boolean({
  description: "Whether kernel and resolvers have it; false while the dataplane is off or an engine failed",
});

export const Pause = named("Pause", Type.Object(fields));
export type Pause = Static<typeof Pause>;

/** The part of a privacy class that a pause depends on. */
export interface PausedClass {
  readonly require_tunnel: boolean;
}

/** Why the protection of a device is not paused; null: it is. */
export function pauseObstacle(
  device: { readonly mac: string | null; readonly ips: readonly string[]; readonly state: string },
  privacyClass: PausedClass | undefined,
): PauseObstacle | null {
  if (device.state === "quarantined") return "quarantined";
  if (privacyClass?.require_tunnel === true) return "require_tunnel";
  return device.mac === null && device.ips.length === 0 ? "no_address" : null;
}

export const pauses = {
  list: endpoint({
    method: "GET",
    path: "/pauses",
    role: "viewer",
    summary: "List every pause of the last 30 days, newest first",
    query: pageOf({ type: PauseTypeName }),
    result: Type.Array(Pause),
    paged: true,
    errors: [],
    cli: {
      words: ["pause", "list"],
      columns: ["id", "type", "source_type", "source_name", "domain", "active", "expires_at", "actor", "reason"],
    },
  }),
  active: endpoint({
    method: "GET",
    path: "/pauses/active",
    role: "viewer",
    summary: "List the active pauses",
    result: Type.Array(Pause),
    errors: [],
    cli: {
      words: ["pause", "active"],
      columns: ["id", "type", "source_type", "source_name", "domain", "remaining_sec", "actor", "reason"],
    },
  }),
  get: endpoint({
    method: "GET",
    path: "/pauses/{id}",
    role: "viewer",
    summary: "Show one pause",
    params: Type.Object({ id: Id }),
    result: Pause,
    errors: ["not_found"],
    cli: { words: ["pause", "get"], args: ["id"] },
  }),
  create: endpoint({
    method: "POST",
    path: "/pauses",
    role: "operator",
    summary: "Pause DNS filtering or protection, or allow or block a domain, for some minutes, immediately",
    description:
      "It is in force when the response is sent, independent of staged and pending changes, and ends by itself. The role admin is required to pause the protection of everyone.",
    body: named(
      "PauseCreate",
      closed({
        type: PauseTypeName,
        source_type: PauseSourceTypeName,
        duration_min: DurationMin,
        ...optionals({
          source_value: Type.String({
            maxLength: 120,
            description: "Id or name of the device or the group; empty for everyone",
          }),
          domain: Domain,
          reason: Text("Reason"),
        }),
      }),
    ),
    result: named("StartedPause", Type.Object({ ...fields, enforced: Enforced })),
    status: 201,
    errors: ["limit_reached", "conflict"],
    audit: { verb: "create", noun: "pause" },
    cli: { words: ["pause", "start"] },
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/pauses/{id}",
    role: "operator",
    summary: "End a pause now",
    params: Type.Object({ id: Id }),
    result: named("EndedPause", Type.Object({ ...Deleted.properties, enforced: Enforced })),
    errors: ["not_found"],
    audit: { verb: "delete", noun: "pause" },
    cli: { words: ["pause", "end"], args: ["id"] },
  }),
};
