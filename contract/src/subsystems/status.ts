import Type, { type Static } from "typebox";
import { endpoint } from "../endpoint.ts";
import { explainedAs, type Reason } from "../reason.ts";
import {
  Id,
  named,
  notEnforcedFields,
  Nullable,
  OneOf,
  sentenceFields,
  sentencesFields,
  Timestamp,
} from "../values.ts";

const Overall = OneOf(["ok", "degraded", "failed"], {
  description: "The worst status among the components of /observer; a component that is off does not count",
});
const Health = named("Health", Type.Object({ status: Overall }));

export const Status = named(
  "Status",
  Type.Object({
    name: Type.String(),
    version: Type.String(),
    build: Type.String({ description: "Commit and date of the sources if known, runtime and platform" }),
    health: { ...Overall, description: "The same value as in /health and /observer" },
    ready: Type.Boolean({
      description:
        "Whether the engines have applied the published revision. With dataplane_enabled false there are no engines, and nothing is enforced",
    }),
    started_at: Timestamp,
    uptime_sec: Type.Integer(),
    node_id: Id,
    mode: Type.String({ description: "network.mode of the bootstrap file" }),
    dataplane_enabled: Type.Boolean({
      description: "Whether the engines run; false: the daemon only compiles and serves the API",
    }),
    revision: Type.Integer({ description: "The published revision" }),
    applied_revision: Type.Integer({ description: "The revision in force" }),
    tls_pin: Nullable(
      Type.String({
        description: "Hash of the gateway's TLS key, for comparison with the one that a client shows; null: no TLS",
      }),
    ),
    ...notEnforcedFields,
  }),
);
export type Status = Static<typeof Status>;

const ComponentState = OneOf(["ok", "degraded", "failed", "off"], { description: "off: disabled" });

export const Component = named(
  "Component",
  Type.Object({
    name: Type.String(),
    status: ComponentState,
    ...sentenceFields("message", "Reason of the status; unless it is ok or off, with a command that helps"),
  }),
);
export type Component = Static<typeof Component>;

/** A component with the reason of its status. */
export const component = (name: string, status: Component["status"], message: Reason): Component => ({
  name,
  status,
  ...explainedAs("message", message),
});

export type Overall = Static<typeof Overall>;

const Observation = named(
  "Observation",
  Type.Object({ status: Overall, checked_at: Timestamp, components: Type.Array(Component) }),
);

export const Platform = named(
  "Platform",
  Type.Object({
    hostname: Type.String(),
    os: Type.String(),
    kernel: Type.String(),
    architecture: Type.String(),
    runtime: Type.String(),
    cpu: Type.Object({
      model: Type.String(),
      cores: Type.Integer(),
      load_1min: Type.Number(),
      load_5min: Type.Number(),
      load_15min: Type.Number(),
    }),
    memory: Type.Object({ total_bytes: Type.Integer(), available_bytes: Type.Integer(), daemon_bytes: Type.Integer() }),
    disk: Type.Object({
      path: Type.String(),
      total_bytes: Type.Integer(),
      free_bytes: Type.Integer(),
      state_bytes: Type.Integer(),
    }),
    uptime_sec: Type.Integer(),
    upgrade: Type.Object({
      ready: Type.Boolean({ description: "Whether an upgrade could start now" }),
      ...sentencesFields("blockers", "Why it could not"),
    }),
  }),
);
export type Platform = Static<typeof Platform>;

export const status = {
  health: endpoint({
    method: "GET",
    path: "/health",
    role: "anyone",
    summary: "Overall health of the gateway, in one word",
    description: "The HTTP status is always 200: a restart of the daemon does not repair a failed tunnel.",
    result: Health,
    errors: [],
    cli: { words: ["health"], joins: { components: "/observer" }, expects: { field: "status", value: "ok" } },
  }),
  status: endpoint({
    method: "GET",
    path: "/status",
    role: "either",
    summary: "Version, readiness and uptime",
    result: Status,
    errors: [],
    cli: { words: ["status"] },
  }),
  observer: endpoint({
    method: "GET",
    path: "/observer",
    role: "either",
    summary: "Health of every component",
    result: Observation,
    errors: [],
    cli: { words: ["observer"] },
  }),
  platform: endpoint({
    method: "GET",
    path: "/platform",
    role: "either",
    summary: "Hardware, resources and whether an upgrade could start",
    result: Platform,
    errors: [],
    cli: { words: ["platform"] },
  }),
};
