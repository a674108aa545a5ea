import Type, { type Static } from "typebox";
import { closed, collection, Toggle } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, InterfaceName, IpAddress, Name, named, Nullable, OneOf, reasonFields, sentenceFields } from "../values.ts";

/** The optional settings of a bridge. */
const optional = {
  interface: Type.String({
    pattern: "^[a-z0-9][a-z0-9._-]{0,14}$",
    description: "Interface name; derived from the name unless given",
  }),
  members: Type.Array(InterfaceName, {
    maxItems: 64,
    uniqueItems: true,
    description: "Interfaces that are ports of the bridge",
  }),
  addresses: Type.Array(Type.String({ minLength: 1, maxLength: 49, description: "Such as 192.168.1.1/24" }), {
    maxItems: 32,
    uniqueItems: true,
    description: "The gateway's own addresses on the bridge, with prefix length",
  }),
  stp: Type.Boolean({ description: "Spanning tree: prevents loops; ports wait before they forward" }),
  enabled: Type.Boolean(),
};

const Healthy = Type.Boolean({ description: "Whether it is up, has carrier, and all of its ports forward" });
const reason = reasonFields("Reason of the status, as a sentence");

export const Bridge = named(
  "Bridge",
  Type.Object({
    id: Id,
    name: Name,
    ...optional,
    status: OneOf(["up", "down", "failed"], { description: "State in the kernel" }),
    healthy: Healthy,
    ...reason,
  }),
);
export type Bridge = Static<typeof Bridge>;

export const BridgeHealth = named(
  "BridgeHealth",
  Type.Object({
    id: Id,
    name: Name,
    interface: Type.String(),
    carrier: Type.Boolean({ description: "Whether any port has carrier" }),
    members: Type.Array(
      Type.Object({
        interface: Type.String(),
        present: Type.Boolean({ description: "Whether the interface exists and is a port of the bridge" }),
        state: OneOf(["forwarding", "learning", "listening", "blocking", "disabled", "unknown"]),
      }),
    ),
    healthy: Healthy,
    ...reason,
    arp_target_answers: Type.Optional(
      Nullable(
        Type.Boolean({ description: "Whether the target of the last probe answered; null: there was no target" }),
      ),
    ),
  }),
);
export type BridgeHealth = Static<typeof BridgeHealth>;

export const BridgeProbe = named(
  "BridgeProbe",
  Type.Object({
    healthy: Type.Boolean({ description: "Every check passed" }),
    checks: Type.Array(Type.Object({ name: Type.String(), passed: Type.Boolean(), ...sentenceFields("message") })),
  }),
);
export type BridgeProbe = Static<typeof BridgeProbe>;

const plain = collection({
  path: "/bridges",
  noun: "bridge",
  resource: Bridge,
  required: { name: Name },
  optional,
  filters: { enabled: Type.Boolean() },
  cli: "bridges",
  columns: ["id", "name", "interface", "members", "status", "healthy", "reason"],
});
const { params } = plain.get;

export const bridges = {
  ...plain,
  status: endpoint({
    method: "GET",
    path: "/bridges/status",
    role: "viewer",
    summary: "Health of every bridge: carrier, ports, and whether they forward",
    result: Type.Array(BridgeHealth),
    errors: [],
  }),
  remove: endpoint({ ...plain.remove, errors: [...plain.remove.errors, "conflict"] }),
  toggle: endpoint({
    method: "POST",
    path: "/bridges/{id}/toggle",
    role: "operator",
    summary: "Enable or disable a bridge, immediately",
    params,
    body: Toggle,
    bodyOptional: true,
    result: Bridge,
    errors: ["not_found", "conflict", "change_pending"],
    audit: { verb: "toggle", noun: "bridge" },
    cli: { words: ["bridges", "toggle"], args: ["id"] },
  }),
  test: endpoint({
    method: "POST",
    path: "/bridges/{id}/test",
    role: "operator",
    summary: "Check a bridge now, and probe a neighbour on it",
    params,
    body: named("BridgeTest", closed({ target: Type.Optional(IpAddress) })),
    bodyOptional: true,
    result: BridgeProbe,
    errors: ["not_found"],
    audit: { verb: "test", noun: "bridge" },
    cli: { words: ["bridges", "test"], args: ["id"] },
  }),
};
