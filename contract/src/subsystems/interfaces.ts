import Type, { type Static } from "typebox";
import { endpoint } from "../endpoint.ts";
import { CountersAt, IpAddress, MacAddress, named, Nullable, OneOf } from "../values.ts";

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Gateway = (family: string) =>
  Nullable({ ...IpAddress, description: `Next hop of its default route for ${family}; null: it has none` });

export const NetworkInterface = named(
  "NetworkInterface",
  Type.Object({
    name: Type.String({ description: "Name in the kernel" }),
    kind: OneOf(["ethernet", "wifi", "bridge", "vlan", "tunnel", "loopback", "other"]),
    role: OneOf(["lan", "uplink", "tunnel", "bridge", "bridge member", "trunk", "unused"], {
      description:
        "How the gateway uses it. lan: towards devices; bridge: a bridge that is no LAN; trunk: only interfaces on top of it are used, such as a VLAN; unused: no setting of the gateway names it",
    }),
    mac: Nullable({ ...MacAddress, description: "null: it has none" }),
    addresses: Type.Array(Type.String({ description: "Such as 192.168.1.1/24" }), {
      description: "The machine's own addresses on it, with prefix length",
    }),
    dynamic_addresses: Type.Array(Type.String(), {
      description: "Those of them that end by themselves: leased by a DHCP server, or announced by a router",
    }),
    up: Type.Boolean({ description: "Whether it is administratively up" }),
    carrier: Type.Boolean({ description: "Whether it has carrier, as the driver reports" }),
    speed_mbps: Nullable(Type.Integer({ minimum: 1, description: "null: unknown to the driver, or not applicable" })),
    mtu: Count("Maximum packet size in bytes"),
    master: Nullable(Type.String({ description: "Interface of which it is a port, such as a bridge" })),
    parent: Nullable(Type.String({ description: "Interface below it, as of a VLAN" })),
    rx_bytes: Count("Received since the interface exists"),
    tx_bytes: Count("Sent since the interface exists"),
    counters_at: CountersAt,
    rx_dropped: Count("Received packets that were dropped"),
    tx_dropped: Count("Outgoing packets that were dropped"),
    default_gateway_v4: Gateway("IPv4"),
    default_gateway_v6: Gateway("IPv6"),
  }),
);
export type NetworkInterface = Static<typeof NetworkInterface>;

export const interfaces = {
  list: endpoint({
    method: "GET",
    path: "/system/interfaces",
    role: "viewer",
    summary: "The machine's network interfaces, and their use by the gateway",
    description: "As the kernel has them now, also while dataplane.enabled is false.",
    result: Type.Array(NetworkInterface),
    errors: [],
    cli: {
      words: ["interfaces"],
      columns: ["name", "kind", "role", "up", "carrier", "speed_mbps", "mac", "addresses"],
    },
  }),
};
