import Type, { type Static } from "typebox";
import { closed, collection, pageOf, Toggle } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import {
  Id,
  IpAddress,
  MacAddress,
  Name,
  named,
  notEnforcedFields,
  NotSupported,
  Nullable,
  OneOf,
  reasonFields,
  Reference,
  ReferenceOrName,
  sentenceFields,
  Text,
  Timestamp,
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

const SourceTypeName = OneOf(sourceTypes, { description: "Type of source_value" });
const SourceValue = Type.String({
  maxLength: 253,
  description: "Interface, VLAN number, CIDR, id or name of a device or group, or domain; empty for all",
});

/** A finding about a policy. Contradictions prevent an apply, the others do not. */
export const Finding = named(
  "Finding",
  Type.Object({
    kind: OneOf(["contradiction", "shadowed", "duplicate", "dangling", "exposed"], {
      description: "exposed: some of its traffic leaves in the clear",
    }),
    policy_id: Id,
    policy_name: Type.String(),
    other_id: Nullable(Id),
    other_name: Nullable(Type.String()),
    ...sentenceFields("message"),
  }),
);
export type Finding = Static<typeof Finding>;

/** Source types whose policies may have a schedule. Addresses of a domain are known only after the policy has begun. */
export const scheduledSourceTypes: readonly SourceType[] = sourceTypes.filter((it) => it !== "domain");

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
  hops: Type.Array(Hop, { maxItems: 16, description: "In order: each hop is reached through the previous one" }),
  fail_policy: FailPolicy,
  splitting: Type.Boolean({ description: "Spread new connections over several vpn hops instead of chaining them" }),
};

const policyFields = {
  priority: Type.Integer({ minimum: 0, maximum: 1_000_000, description: "The lower number wins" }),
  enabled: Type.Boolean(),
  ...path,
};

const scheduleDescription = `The policy applies while this schedule is active; null: always. Source types that may have one: ${scheduledSourceTypes.join(", ")}`;

/** As it is stored. */
export const Policy = Type.Object({
  id: Id,
  name: Name,
  source_type: SourceTypeName,
  source_value: SourceValue,
  ...policyFields,
  profile_id: Nullable(Reference("profile")),
  schedule_id: Type.Optional(Nullable({ ...Reference("schedule"), description: scheduleDescription })),
});
export type Policy = Static<typeof Policy>;

/** As in responses. */
export const ShownPolicy = named(
  "RoutingPolicy",
  Type.Object({
    ...Policy.properties,
    ...sourceName,
    schedule: Nullable(
      Type.Object(
        {
          name: Name,
          active: Type.Boolean({ description: "Whether the policy applies now, if it is enabled and published" }),
          next_change_at: Nullable({ ...Timestamp, description: "When `active` changes; null: never" }),
        },
        { description: "Its schedule; null: it always applies" },
      ),
    ),
  }),
);
export type ShownPolicy = Static<typeof ShownPolicy>;

const AppliedPolicies = named(
  "AppliedPolicies",
  Type.Object({
    snapshot: Snapshot,
    published: Type.Integer({ description: "Number of published resources; 0: nothing was staged" }),
    confirm_until: Nullable(Timestamp),
    enforced: Type.Boolean({
      description: "Whether it is in force in the kernel; false while the dataplane is off or an engine failed",
    }),
    ...notEnforcedFields,
    findings: Type.Array(Finding),
  }),
);

const policyCollection = collection({
  path: "/routing/policies",
  noun: "routing policy",
  resource: ShownPolicy,
  required: { name: Name, source_type: SourceTypeName },
  optional: {
    source_value: SourceValue,
    ...policyFields,
    profile_id: Nullable(ReferenceOrName("profile")),
    schedule_id: Nullable({ ...ReferenceOrName("schedule"), description: scheduleDescription }),
  },
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
    summary: "Enable or disable a policy; it takes effect with the next apply",
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
    summary: "Publish the staged policies, profiles and chains",
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
    description: Text("Purpose of the profile"),
    ...path,
    chain_id: NotSupported(Nullable(ReferenceOrName("chain")), null),
  },
  cli: "profiles",
  columns: ["id", "name", "fail_policy", "splitting"],
  idInQuery: true,
});

const EvaluateRequest = named(
  "EvaluateRequest",
  closed({
    mac: Type.Optional(MacAddress),
    device_id: Type.Optional(ReferenceOrName("device")),
    interface: Type.Optional(
      Type.String({ maxLength: 15, description: "Ingress interface of the packet; the LAN interface unless given" }),
    ),
    source: Type.Optional(IpAddress),
    destination: Type.Optional(IpAddress),
    domain: Type.Optional(
      Type.String({ maxLength: 253, description: "Name whose DNS answer contained the destination" }),
    ),
    protocol: Type.Optional(OneOf(["tcp", "udp", "icmp"])),
    port: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65_535, description: "Destination port; privacy controls evaluate it" }),
    ),
    hops_up: Type.Optional(
      Type.Record(Type.String({ maxLength: 120 }), Type.Boolean(), {
        maxProperties: 500,
        description: "Assumed states: target of a hop → up",
      }),
    ),
    staged: Type.Optional(Type.Boolean({ description: "Evaluate the staged instead of the published policies" })),
    at: Type.Optional({
      ...Timestamp,
      description:
        "Evaluate with the schedules of this time, and the exceptions that have not ended then; now unless given",
    }),
  }),
);

const Evaluation = named(
  "Evaluation",
  Type.Object({
    outcome: OneOf(["direct", "local", "block", "egress", "split"]),
    interfaces: Type.Array(Type.String(), {
      description: "Egress interfaces of the packet; empty if it is blocked or stays on the LAN",
    }),
    ...reasonFields("Reason of the outcome, as a sentence"),
    policy_id: Nullable(Id),
    exception_id: Nullable({ ...Id, description: "The exception that decided before any policy" }),
    control: Nullable(
      OneOf(["force_dns", "block_doh", "block_ipv6", "block_webrtc"], {
        description: "The privacy control that decided before any policy",
      }),
    ),
    revision: Nullable(Type.Integer({ description: "The evaluated revision; null: the staged policies" })),
    trace: Type.Array(
      Type.Object({
        policy_id: Id,
        name: Type.String(),
        matched: Type.Boolean(),
        decided: Type.Boolean(),
        ...reasonFields("Why it decided, or why it did not match, as a sentence"),
      }),
      { description: "Every policy up to the one that decided, in order of evaluation" },
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
    now: Type.String({ description: "Its current effect, and the reason" }),
    ...reasonFields("Reason of its current effect, as a sentence"),
    when_down: OneOf(["block", "direct", "next"], { description: "Its effect while its hops are down" }),
  }),
);

const PolicyHits = named(
  "PolicyHits",
  Type.Object({
    policy_id: Id,
    policy_name: Type.String(),
    connections: Type.Integer({
      description:
        "Connections that the policy has decided. A blocked packet never becomes a connection: each packet counts",
    }),
    since: Nullable({ ...Timestamp, description: "Start of the count; null: the policy is not in force" }),
    last_hit: Nullable({ ...Timestamp, description: "Time of the last one; null: none" }),
  }),
);
export type PolicyHits = Static<typeof PolicyHits>;

const Posture = OneOf(["protected", "blocked", "exposed"], {
  description: "protected: leaves through hops; blocked: does not leave; exposed: leaves by the uplink in the clear",
});

const LeakRow = named(
  "LeakMatrixRow",
  Type.Object({
    device_id: Nullable({ ...Id, description: "null: an unknown device" }),
    name: Type.String(),
    now: Posture,
    exposed_when: Type.Array(Type.String(), { description: "Scenarios in which it is exposed" }),
    blocked_when: Type.Array(Type.String(), { description: "Scenarios in which it is blocked" }),
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
    protected: Type.Integer({ description: "Number of devices whose traffic leaves through hops" }),
    blocked: Type.Integer({ description: "Number of devices whose traffic is blocked" }),
    exposed: Type.Integer({ description: "Number of devices whose traffic leaves by the uplink in the clear" }),
    unknown_device: Posture,
    devices: Type.Array(
      Type.Object({
        device_id: Id,
        device_name: Type.String(),
        posture: Posture,
        policy_id: Nullable({ ...Id, description: "The policy that decides; null: none, or an exception decides" }),
        policy_name: Nullable(Type.String()),
        exception_id: Nullable(Id),
      }),
      { description: "In order of id" },
    ),
  }),
);
export type Postures = Static<typeof Postures>;

export const policyViews = {
  evaluate: endpoint({
    method: "POST",
    path: "/policy/evaluate",
    role: "viewer",
    summary: "Evaluate the egress of a packet of a device, with the reason",
    body: EvaluateRequest,
    result: Evaluation,
    errors: ["not_found"],
    cli: { words: ["evaluate"], args: ["device_id"] },
  }),
  conflicts: endpoint({
    method: "POST",
    path: "/policy/conflicts",
    role: "viewer",
    summary: "Find conflicting policies",
    result: Type.Array(Finding),
    errors: [],
    cli: { words: ["conflicts"], columns: ["kind", "policy_name", "other_name", "message"] },
  }),
  leakMatrix: endpoint({
    method: "GET",
    path: "/policy/leak-matrix",
    role: "viewer",
    summary: "Posture of every device, now and while hops are down",
    description:
      "For each device one packet per address family to a destination without a policy of its own; a cell contains the less protected result. The first row is an unknown device.",
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
    summary: "Current posture of every device",
    description: "The first column of the leak matrix for all devices, with the policy that decides.",
    result: Postures,
    errors: [],
    cli: { words: ["postures"] },
  }),
  hits: endpoint({
    method: "GET",
    path: "/policy/hits",
    role: "viewer",
    summary: "Number of connections that each policy has decided, and time of the last one",
    description:
      "In order of evaluation. A connection counts once, when it begins, for the policy that decides it. The count survives changes of policies and devices; it restarts with the daemon, and after a foreign change of the rules. DNS queries to the gateway are not counted.",
    result: Type.Array(PolicyHits),
    errors: [],
    cli: { words: ["policy-hits"], columns: ["policy_name", "connections", "since", "last_hit"] },
  }),
  failMatrix: endpoint({
    method: "GET",
    path: "/policy/fail-matrix",
    role: "viewer",
    summary: "Effect of each policy while its hops are down",
    result: Type.Array(FailRow),
    errors: [],
    cli: { words: ["fail-matrix"], columns: ["policy_id", "name", "fail_policy", "when_down", "now"] },
  }),
};
