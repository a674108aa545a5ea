import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, InterfaceName, named, Nullable, OneOf, optionalReasonFields, Timestamp } from "../values.ts";

const Ipv4 = (description: string) => Type.String({ format: "ipv4", description });

const required = {
  interface: { ...InterfaceName, description: "LAN interface on which addresses are leased" },
  first: Ipv4("First address of the range, in the network of the interface"),
  last: Ipv4("Last address of the range"),
};
const optional = {
  lease_sec: Type.Integer({
    minimum: 120,
    maximum: 2_592_000,
    default: 43_200,
    description: "Duration of a lease. A changed address or gateway reaches every client after at most half of it",
  }),
};

export const DhcpRange = named("DhcpRange", Type.Object({ ...required, ...optional }));
export type DhcpRange = Readonly<Static<typeof DhcpRange>>;
/** All ranges are one resource, so that they are published and rolled back together. */
export const dhcpId = "dhcp";
/** The published settings. */
export interface PublishedDhcp {
  readonly id: string;
  readonly ranges: readonly DhcpRange[];
}

const DhcpRangeStatus = Type.Object({
  ...required,
  ...optional,
  status: OneOf(["serving", "starting", "failed", "off"], {
    description: "Only serving leases addresses; off: the gateway enforces nothing on this machine",
  }),
  ...optionalReasonFields("Why it is not serving, as a sentence; empty while it is"),
  network: Nullable(Type.String({ description: "Network of the interface that contains the range" })),
  gateway: Nullable(Type.String({ description: "The gateway's address there, which clients get as router" })),
  resolvers: Type.Array(Type.String(), { description: "DNS servers that clients get" }),
  reservations: Type.Integer({
    minimum: 0,
    description: "Devices with a MAC and an address of this network: they always get that address",
  }),
});
const Dhcp = named("Dhcp", Type.Object({ ranges: Type.Array(DhcpRangeStatus) }));
export type Dhcp = Static<typeof Dhcp>;

const DhcpLease = named(
  "DhcpLease",
  Type.Object({
    address: Type.String(),
    mac: Type.String(),
    hostname: Nullable(Type.String({ description: "As the client sent it" })),
    device_id: Nullable({ ...Id, description: "The known device with this MAC" }),
    device_name: Nullable(Type.String()),
    interface: Nullable(Type.String({ description: "null: its range is not configured any more" })),
    reserved: Type.Boolean({ description: "Whether the address is reserved for this device" }),
    expires_at: Timestamp,
  }),
);
export type DhcpLease = Static<typeof DhcpLease>;

export const dhcp = {
  get: endpoint({
    method: "GET",
    path: "/dhcp",
    role: "viewer",
    summary: "The DHCP server: ranges of addresses, and their state",
    result: Dhcp,
    errors: [],
    cli: { words: ["dhcp"] },
  }),
  put: endpoint({
    method: "PUT",
    path: "/dhcp",
    role: "operator",
    summary: "Replace the ranges of the DHCP server, immediately",
    description:
      "The list is replaced as a whole; an empty one stops the server. Leases that clients hold stay valid. " +
      "A device with a MAC and an address of the network has that address reserved.",
    body: named(
      "DhcpUpdate",
      closed({ ranges: Type.Array(closed({ ...required, ...optionals(optional) }), { maxItems: 64 }) }),
    ),
    result: Dhcp,
    errors: ["conflict", "change_pending"],
    audit: { verb: "update", noun: "dhcp" },
    cli: { words: ["dhcp", "configure"] },
  }),
  leases: endpoint({
    method: "GET",
    path: "/dhcp/leases",
    role: "viewer",
    summary: "Leases of the DHCP server, by address",
    description: "As the server has them now. Expired ones are not included.",
    result: Type.Array(DhcpLease),
    errors: ["engine_unavailable"],
    cli: {
      words: ["dhcp", "leases"],
      columns: ["address", "mac", "hostname", "device_name", "interface", "reserved", "expires_at"],
    },
  }),
};
