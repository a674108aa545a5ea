import Type, { type Static } from "typebox";
import { closed, collection, pageOf, Toggle } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import {
  Id,
  IpAddress,
  MacAddress,
  Name,
  named,
  Nullable,
  OneOf,
  Reference,
  ReferenceOrName,
  Text,
  Timestamp,
  NotSupported,
} from "../values.ts";
import { FailPolicy } from "./classes.ts";
import { sourceName } from "./dns-source.ts";
import { confirmWithin, Snapshot } from "./history.ts";

export const sourceTypes = [
  "all",
  "interface",
  "vlan",
  "subnet",
  "device",
  "device_group",
  "destination",
  "domain",
] as const;
export type SourceType = (typeof sourceTypes)[number];

const SourceTypeName = OneOf(sourceTypes, { description: "What the source value is" });
const SourceValue = Type.String({
  maxLength: 253,
  description: "Interface, VLAN number, CIDR, id or name of a device or group, or domain; empty for all",
});

/** Something to know about a policy. Contradictions stop an apply, the others do not. */
export const Finding = named(
  "Finding",
  Type.Object({
    kind: OneOf(["contradiction", "shadowed", "duplicate", "dangling", "exposed"], {
      description: "exposed: it protects less than it seems to, and traffic leaves in the clear",
    }),
    policy_id: Id,
    policy_name: Type.String(),
    other_id: Nullable(Id),
    other_name: Nullable(Type.String()),
    message: Type.String(),
  }),
);
export type Finding = Static<typeof Finding>;

export const Hop = named(
  "Hop",
  closed({
    type: OneOf(["vpn", "interface", "proxy", "mesh_peer"]),
    target: Type.String({
      minLength: 1,
      maxLength: 120,
      description: "Name or id of the tunnel, interface, proxy or peer",
    }),
  }),
);
export type Hop = Static<typeof Hop>;

const path = {
  hops: Type.Array(Hop, { maxItems: 16, description: "In order: each hop's packets travel inside the one before" }),
  fail_policy: FailPolicy,
  splitting: Type.Boolean({ description: "Spread new connections over several vpn hops instead of chaining them" }),
};

const policyFields = {
  priority: Type.Integer({ minimum: 0, maximum: 1_000_000, description: "The lower number wins" }),
  enabled: Type.Boolean(),
  ...path,
};

/** As it is kept. */
export const Policy = Type.Object({
  id: Id,
  name: Name,
  source_type: SourceTypeName,
  source_value: SourceValue,
  ...policyFields,
  profile_id: Nullable(Reference("profile")),
});
export type Policy = Static<typeof Policy>;

/** As it is shown. */
export const ShownPolicy = named("RoutingPolicy", Type.Object({ ...Policy.properties, ...sourceName }));

const AppliedPolicies = named(
  "AppliedPolicies",
  Type.Object({
    snapshot: Snapshot,
    published: Type.Integer({ description: "Resources that changed with it; 0 writes nothing" }),
    confirm_until: Nullable(Timestamp),
    enforced: Type.Boolean({
      description: "Whether the kernel has it; false while the dataplane is off or an engine failed",
    }),
    not_enforced: Nullable(
      Type.String({ description: "Why nothing is enforced although the dataplane is on; null: it is, or it is off" }),
    ),
    findings: Type.Array(Finding),
  }),
);

const policyCollection = collection({
  path: "/routing/policies",
  noun: "routing policy",
  resource: ShownPolicy,
  required: { name: Name, source_type: SourceTypeName },
  optional: { source_value: SourceValue, ...policyFields, profile_id: Nullable(ReferenceOrName("profile")) },
  filters: { source_type: SourceTypeName, enabled: Type.Boolean() },
  cli: "policies",
  columns: ["id", "name", "priority", "enabled", "source_type", "source_name", "fail_policy"],
  createErrors: ["policy_conflict"],
});

export const routing = {
  ...policyCollection,
  toggle: endpoint({
    method: "POST",
    path: "/routing/policies/{id}/toggle",
    role: "operator",
    summary: "Switch a policy on or off; it takes effect with the next apply",
    params: policyCollection.get.params,
    body: Toggle,
    bodyOptional: true,
    result: ShownPolicy,
    errors: ["not_found", "policy_conflict", "change_pending"],
    audit: { verb: "toggle", noun: "routing_policy" },
    cli: { words: ["policies", "toggle"], args: ["id"] },
  }),
  apply: endpoint({
    method: "POST",
    path: "/routing/policies/apply",
    role: "operator",
    summary: "Publish what is staged of policies, profiles and chains",
    query: closed(confirmWithin),
    result: AppliedPolicies,
    errors: ["policy_conflict", "change_pending"],
    audit: { verb: "apply", noun: "routing_policies" },
    cli: { words: ["policies", "apply"] },
  }),
};

export const Profile = named(
  "RouteProfile",
  Type.Object({ id: Id, name: Name, description: Type.String(), ...path, chain_id: Nullable(Reference("chain")) }),
);
export type Profile = Static<typeof Profile>;

export const profiles = collection({
  path: "/profiles",
  noun: "route profile",
  key: "profile",
  resource: Profile,
  required: { name: Name },
  optional: {
    description: Text("What it is for"),
    ...path,
    chain_id: NotSupported(Nullable(ReferenceOrName("chain")), null),
  },
  cli: "profiles",
  columns: ["id", "name", "fail_policy", "splitting"],
  idInQuery: true,
});

const Stage = closed({
  kind: OneOf(["dns", "filter", "vpn", "proxy", "nat", "shape"]),
  config: Type.Record(Type.String({ maxLength: 120 }), Type.Unknown(), { maxProperties: 50 }),
});

export const Chain = named(
  "TrafficChain",
  Type.Object({ id: Id, name: Name, stages: Type.Array(Stage, { maxItems: 32 }) }),
);
export type Chain = Static<typeof Chain>;

const plainChains = collection({
  path: "/chains",
  noun: "traffic chain",
  key: "chain",
  resource: Chain,
  required: { name: Name },
  optional: { stages: Type.Array(Stage, { maxItems: 32 }) },
  cli: "chains",
  columns: ["id", "name"],
});
const noChains = "Traffic chains have no effect yet: policies and profiles send traffic through hops";

/** Those that were made before can be read and deleted. */
export const chains = {
  ...plainChains,
  create: endpoint({ ...plainChains.create, notSupported: noChains }),
  update: endpoint({ ...plainChains.update, notSupported: noChains }),
};

const EvaluateRequest = named(
  "EvaluateRequest",
  closed({
    mac: Type.Optional(MacAddress),
    device_id: Type.Optional(ReferenceOrName("device")),
    interface: Type.Optional(
      Type.String({ maxLength: 15, description: "Where the packet arrives; the LAN interface unless given" }),
    ),
    source: Type.Optional(IpAddress),
    destination: Type.Optional(IpAddress),
    domain: Type.Optional(Type.String({ maxLength: 253, description: "The name the destination was looked up by" })),
    protocol: Type.Optional(OneOf(["tcp", "udp", "icmp"])),
    port: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65_535, description: "Of the destination; privacy controls ask for it" }),
    ),
    hops_up: Type.Optional(
      Type.Record(Type.String({ maxLength: 120 }), Type.Boolean(), {
        maxProperties: 500,
        description: "Assumed states: target of a hop → up",
      }),
    ),
    staged: Type.Optional(Type.Boolean({ description: "Evaluate what is staged instead of what is published" })),
  }),
);

const Evaluation = named(
  "Evaluation",
  Type.Object({
    outcome: OneOf(["direct", "local", "block", "egress", "split"]),
    interfaces: Type.Array(Type.String(), {
      description: "Where the packet leaves; empty when it does not, or stays in the house",
    }),
    reason: Type.String(),
    policy_id: Nullable(Id),
    exception_id: Nullable({ ...Id, description: "The exception that decided before any policy was asked" }),
    control: Nullable(
      OneOf(["force_dns", "block_doh", "block_ipv6", "block_webrtc"], {
        description: "The privacy control that decided before any policy was asked",
      }),
    ),
    revision: Nullable(Type.Integer({ description: "What was evaluated; null for what is staged" })),
    trace: Type.Array(
      Type.Object({
        policy_id: Id,
        name: Type.String(),
        matched: Type.Boolean(),
        decided: Type.Boolean(),
        reason: Type.String(),
      }),
      { description: "Every policy up to the one that decided, in the order they are heard" },
    ),
  }),
);

const FailRow = named(
  "FailMatrixRow",
  Type.Object({
    policy_id: Id,
    name: Type.String(),
    fail_policy: FailPolicy,
    hops: Type.Array(Hop),
    now: Type.String({ description: "What it does now, and why" }),
    when_down: OneOf(["block", "direct", "next"], { description: "What it does when its hops are down" }),
  }),
);

const PolicyHits = named(
  "PolicyHits",
  Type.Object({
    policy_id: Id,
    policy_name: Type.String(),
    connections: Type.Integer({
      description: "Connections it has decided. What is blocked never becomes one: there each packet counts",
    }),
    since: Nullable({ ...Timestamp, description: "Since when they are counted; null: it is not in force" }),
    last_hit: Nullable({ ...Timestamp, description: "When the last one was counted; null: none was" }),
  }),
);
export type PolicyHits = Static<typeof PolicyHits>;

const Posture = OneOf(["protected", "blocked", "exposed"], {
  description: "Leaves by a hop; does not leave; leaves by the uplink in the clear",
});

const LeakRow = named(
  "LeakMatrixRow",
  Type.Object({
    device_id: Nullable({ ...Id, description: "null: a device nobody knows" }),
    name: Type.String(),
    now: Posture,
    exposed_when: Type.Array(Type.String(), { description: "Scenarios in which it is exposed" }),
    blocked_when: Type.Array(Type.String(), { description: "Scenarios in which nothing of it leaves" }),
    cells: Type.Array(
      Type.Object({
        scenario: Type.String({ description: "now, all up, <hop> down, all down" }),
        outcome: OneOf(["direct", "local", "block", "egress", "split"]),
        interfaces: Type.Array(Type.String()),
        posture: Posture,
      }),
    ),
  }),
);

const Postures = named(
  "Postures",
  Type.Object({
    protected: Type.Integer({ description: "Devices that leave by hops" }),
    blocked: Type.Integer({ description: "Devices of which nothing leaves" }),
    exposed: Type.Integer({ description: "Devices that leave by the uplink in the clear" }),
    unknown_device: Posture,
    devices: Type.Array(
      Type.Object({
        device_id: Id,
        device_name: Type.String(),
        posture: Posture,
        policy_id: Nullable({ ...Id, description: "The policy that decides; null: none, or an exception" }),
        policy_name: Nullable(Type.String()),
        exception_id: Nullable(Id),
      }),
      { description: "In the order of their ids" },
    ),
  }),
);
export type Postures = Static<typeof Postures>;

export const policyViews = {
  evaluate: endpoint({
    method: "POST",
    path: "/policy/evaluate",
    role: "viewer",
    summary: "Say where a packet of a device would go, and why",
    body: EvaluateRequest,
    result: Evaluation,
    errors: ["not_found"],
    cli: { words: ["evaluate"], args: ["device_id"] },
  }),
  conflicts: endpoint({
    method: "POST",
    path: "/policy/conflicts",
    role: "viewer",
    summary: "Find policies that stand in each other's way",
    result: Type.Array(Finding),
    errors: [],
    cli: { words: ["conflicts"], columns: ["kind", "policy_name", "other_name", "message"] },
  }),
  leakMatrix: endpoint({
    method: "GET",
    path: "/policy/leak-matrix",
    role: "viewer",
    summary: "Who is protected, blocked or exposed, now and when hops go down",
    description:
      "Of each device a packet of each family to somewhere no policy names; the cell tells the less protected one. The first row is a device nobody knows.",
    query: pageOf({}),
    result: Type.Array(LeakRow),
    paged: true,
    errors: [],
    cli: { words: ["leak-matrix"], columns: ["device_id", "name", "now", "exposed_when", "blocked_when"] },
  }),
  postures: endpoint({
    method: "GET",
    path: "/policy/postures",
    role: "viewer",
    summary: "Who is protected, blocked or exposed now",
    description: "The first column of the leak matrix, of every device at once, with the policy that decides.",
    result: Postures,
    errors: [],
    cli: { words: ["postures"] },
  }),
  hits: endpoint({
    method: "GET",
    path: "/policy/hits",
    role: "viewer",
    summary: "How many connections each policy has decided, and when the last one",
    description:
      "In the order policies are heard. A connection counts once, when it begins, for the policy that decides it. Counting goes on while policies and devices change, and begins anew with the daemon or when somebody else has changed the rules. Questions for names that the gateway answers are not counted.",
    result: Type.Array(PolicyHits),
    errors: [],
    cli: { words: ["policy-hits"], columns: ["policy_name", "connections", "since", "last_hit"] },
  }),
  failMatrix: endpoint({
    method: "GET",
    path: "/policy/fail-matrix",
    role: "viewer",
    summary: "What each policy does when its hops are down",
    result: Type.Array(FailRow),
    errors: [],
    cli: { words: ["fail-matrix"], columns: ["policy_id", "name", "fail_policy", "when_down", "now"] },
  }),
};
