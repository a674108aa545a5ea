import Type, { type Static } from "typebox";
import { endpoint } from "../endpoint.ts";
import { CountersAt, IpAddress, MacAddress, named, Nullable, OneOf } from "../values.ts";

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Gateway = (family: string) =>
  Nullable({ ...IpAddress, description: `Next hop of its default route for ${family}; null: it has none` });

export const NetworkInterface = named(
  "NetworkInterface",
  Type.Object({
    name: Type.String({ description: "What the kernel calls it" }),
    kind: OneOf(["ethernet", "wifi", "bridge", "vlan", "tunnel", "loopback", "other"]),
    role: OneOf(["lan", "uplink", "tunnel", "bridge", "bridge member", "trunk", "unused"], {
      description:
        "What the gateway uses it for. lan: devices live behind it; bridge: one that is no LAN; trunk: only what lies on it is used, such as a VLAN; unused: nothing of the gateway's names it",
    }),
    mac: Nullable({ ...MacAddress, description: "null: it has none" }),
    addresses: Type.Array(Type.String({ description: "Such as 192.168.1.1/24" }), {
      description: "The machine's own addresses on it, with the length of their network",
    }),
    up: Type.Boolean({ description: "Whether it is switched on" }),
    carrier: Type.Boolean({ description: "Whether somebody is at the other end, as far as the driver can tell" }),
    speed_mbps: Nullable(
      Type.Integer({ minimum: 1, description: "null: the driver does not know, or it has no speed" }),
    ),
    mtu: Count("Bytes of the largest packet it takes"),
    master: Nullable(Type.String({ description: "The interface it is a port of, such as a bridge" })),
    parent: Nullable(Type.String({ description: "The interface it lies on, as a VLAN does" })),
    rx_bytes: Count("Received since it is there"),
    tx_bytes: Count("Sent since it is there"),
    counters_at: CountersAt,
    rx_dropped: Count("Packets that arrived and were dropped"),
    tx_dropped: Count("Packets that were to leave and were dropped"),
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
    summary: "The machine's network interfaces, and what the gateway uses each for",
    description: "As the kernel has them now, whether or not the gateway drives anything.",
    result: Type.Array(NetworkInterface),
    errors: [],
    cli: {
      words: ["interfaces"],
      columns: ["name", "kind", "role", "up", "carrier", "speed_mbps", "mac", "addresses"],
    },
  }),
};
