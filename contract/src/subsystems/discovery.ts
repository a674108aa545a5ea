import Type, { type Static } from "typebox";
import { closed, optionals, pageOf } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import {
  Id,
  IpAddress,
  MacAddress,
  Name,
  named,
  Nullable,
  OneOf,
  optionalReasonFields,
  ReferenceOrName,
  Timestamp,
} from "../values.ts";
import { Device } from "./devices.ts";

const DiscoveredFact = Type.Object({
  field: OneOf(["hostname", "name", "product", "dhcp_parameters", "dhcp_vendor_class"], {
    description:
      "name: how the device calls itself for people; dhcp_parameters: the options that its DHCP client requests, in their order, a fingerprint of its operating system",
  }),
  value: Type.String({ description: "As the device sent it, without control characters" }),
  source: OneOf(["dhcp", "lease", "mdns", "ssdp"], {
    description: "dhcp: a request of its DHCP client; lease: the gateway's DHCP server",
  }),
  seen_at: { ...Timestamp, description: "When the source last reported it" },
});
export type DiscoveredFact = Readonly<Static<typeof DiscoveredFact>>;

export const DiscoveredDevice = named(
  "DiscoveredDevice",
  Type.Object({
    mac: MacAddress,
    random_mac: Type.Boolean({
      description:
        "A locally administered address: the device, or a program, has made it up, and may use another one tomorrow",
    }),
    device_id: Nullable({
      ...Id,
      description: "The known device with this MAC address, or with this address; null: unknown",
    }),
    device_name: Nullable(Type.String()),
    interface: Type.String({ description: "LAN interface on which it was observed last" }),
    addresses: Type.Array(
      Type.Object({ address: IpAddress, seen_at: { ...Timestamp, description: "When it last answered for it" } }),
      { description: "From the kernel's neighbour table, the newest first" },
    ),
    vendor: Nullable(Type.String({ description: "To whom IEEE assigned the prefix of the MAC address" })),
    vendor_status: OneOf(["registered", "not_registered", "random_mac", "no_registry"], {
      description: "Why there is no vendor. no_registry: the package ieee-data is not installed",
    }),
    suggested_name: Type.String({ description: "From the name, the host name or the vendor; no other device has it" }),
    facts: Type.Array(DiscoveredFact, { description: "What it said about itself. Nothing of it is authenticated" }),
    online: Type.Boolean({
      description:
        "It answered or sent something, and has not failed to answer three times since. An idle device is probed by ARP or neighbour discovery every two minutes",
    }),
    first_seen: Timestamp,
    last_seen: Nullable({
      ...Timestamp,
      description: "null: it was in the neighbour table when the daemon started, and was not observed since",
    }),
    candidates: Type.Array(Type.Object({ device_id: Id, device_name: Type.String() }), {
      description:
        "Of an unknown device with a random MAC address: devices with the same host name that are not online. It may be one of them",
    }),
  }),
);
export type DiscoveredDevice = Readonly<Static<typeof DiscoveredDevice>>;

const DiscoverySource = Type.Object({
  source: OneOf(["neighbours", "dhcp", "lease", "mdns", "ssdp", "vendors"]),
  status: OneOf(["working", "off", "failed"]),
  ...optionalReasonFields("Why it is not working; empty while it is"),
  interfaces: Type.Array(Type.String(), { description: "LAN interfaces on which it is received" }),
});

const Discovery = named("Discovery", Type.Object({ sources: Type.Array(DiscoverySource) }));
export type Discovery = Readonly<Static<typeof Discovery>>;

export const guestGroup = "guest";

const known = {
  name: { ...Name, description: "Default: the suggested name" },
  trust_class: Nullable(ReferenceOrName("trust_class")),
  privacy_class: Nullable(ReferenceOrName("privacy_class")),
};

const params = Type.Object({ mac: MacAddress });

export const discovery = {
  list: endpoint({
    method: "GET",
    path: "/devices/discovered",
    role: "viewer",
    summary: "Devices that were observed on the LANs, known and unknown, in order of discovery",
    description:
      "From the neighbour table, DHCP, mDNS and SSDP. The gateway listens, and probes idle devices by ARP only; it opens no connection to a device. " +
      "Unknown devices are removed 30 days after they were last seen, those with a random MAC address after 7 days.",
    query: pageOf({
      known: Type.Boolean({ description: "Only known devices, or only unknown ones" }),
      online: Type.Boolean(),
    }),
    result: Type.Array(DiscoveredDevice),
    paged: true,
    errors: [],
    cli: {
      words: ["devices", "discovered"],
      columns: ["mac", "suggested_name", "device_name", "vendor", "interface", "online", "last_seen"],
    },
  }),
  sources: endpoint({
    method: "GET",
    path: "/devices/discovery",
    role: "viewer",
    summary: "Sources of the discovery, and whether they work",
    result: Discovery,
    errors: [],
    cli: { words: ["devices", "discovery"] },
  }),
  allow: endpoint({
    method: "POST",
    path: "/devices/discovered/{mac}/allow",
    role: "operator",
    summary: "Make an unknown device a known one",
    description: "Policies for it, its classes, or all devices decide what it may do, as for any other device.",
    params,
    body: named("DiscoveredAllow", closed(optionals(known))),
    result: Device,
    status: 201,
    errors: ["not_found", "conflict", "limit_reached", "change_pending"],
    audit: { verb: "allow", noun: "device" },
    cli: { words: ["devices", "allow"], args: ["mac"] },
  }),
  guest: endpoint({
    method: "POST",
    path: "/devices/discovered/{mac}/guest",
    role: "operator",
    summary: `Make an unknown device a known one in the group ${guestGroup}`,
    description: `The group is created if there is none. Policies and DNS rules for the group ${guestGroup} apply; without any, it is treated as any other device.`,
    params,
    body: named("DiscoveredGuest", closed(optionals(known))),
    result: Device,
    status: 201,
    errors: ["not_found", "conflict", "limit_reached", "change_pending"],
    audit: { verb: "admit_guest", noun: "device" },
    cli: { words: ["devices", "guest"], args: ["mac"] },
  }),
  block: endpoint({
    method: "POST",
    path: "/devices/discovered/{mac}/block",
    role: "operator",
    summary: "Make an unknown device a known one that is quarantined",
    description: "It reaches the gateway's DHCP and DNS only, until its state is changed.",
    params,
    body: named("DiscoveredBlock", closed(optionals(known))),
    result: Device,
    status: 201,
    errors: ["not_found", "conflict", "limit_reached", "change_pending"],
    audit: { verb: "block", noun: "device" },
    cli: { words: ["devices", "block"], args: ["mac"] },
  }),
  link: endpoint({
    method: "POST",
    path: "/devices/discovered/{mac}/link",
    role: "operator",
    summary: "Record that an unknown MAC address is that of a known device",
    description:
      "The device has this MAC address from now on instead of its previous one, with the policies, classes and rules of the device. The previous one is that of an unknown device then; a device that is online with it is refused.",
    params,
    body: named("DiscoveredLink", closed({ device_id: ReferenceOrName("device") })),
    result: Device,
    errors: ["not_found", "conflict", "change_pending"],
    audit: { verb: "link", noun: "device" },
    cli: { words: ["devices", "link"], args: ["mac"] },
  }),
};
