import Type, { type Static } from "typebox";
import { collection } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, InterfaceName, Name, named, OneOf, reasonFields } from "../values.ts";

const required = {
  name: Name,
  parent: {
    ...InterfaceName,
    description: "Interface on which its tagged packets arrive: a port, a LAN interface or a bridge",
  },
  vlan_id: Type.Integer({ minimum: 1, maximum: 4094, description: "Number in the tag, as the switch has it" }),
};

/** The optional settings of a VLAN. */
const optional = {
  interface: {
    ...InterfaceName,
    description: "Interface name; derived from parent and number unless given, such as eth1.10",
  },
  addresses: Type.Array(Type.String({ minLength: 1, maxLength: 49, description: "Such as 192.168.20.1/24" }), {
    maxItems: 32,
    uniqueItems: true,
    description: "The gateway's own addresses on the VLAN, with prefix length",
  }),
  role: OneOf(["lan", "uplink"], {
    description:
      "lan: devices are behind it, and it is a segment; uplink: a provider is behind it, and the uplinks or network.wan_iface name it",
  }),
  enabled: Type.Boolean(),
};

export const VLAN = named(
  "VLAN",
  Type.Object({
    id: Id,
    ...required,
    ...optional,
    status: OneOf(["up", "down", "failed"], { description: "State in the kernel" }),
    ...reasonFields("Reason of the status, as a sentence"),
  }),
);
export type Vlan = Static<typeof VLAN>;

/** The published part of a VLAN. */
export type PublishedVlan = Omit<Vlan, "status" | "reason" | "coded_reason">;

const plain = collection({
  path: "/vlans",
  noun: "VLAN",
  key: "vlan",
  resource: VLAN,
  required,
  optional,
  filters: { enabled: Type.Boolean() },
  cli: "vlan",
  columns: ["id", "name", "interface", "parent", "vlan_id", "addresses", "role", "status", "reason"],
});

export const vlans = {
  ...plain,
  remove: endpoint({ ...plain.remove, errors: [...plain.remove.errors, "conflict"] }),
};
