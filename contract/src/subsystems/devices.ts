import Type, { type Static } from "typebox";
import { collection } from "../collection.ts";
import {
  Id,
  IdOrName,
  IpAddress,
  MacAddress,
  Name,
  NotSupported,
  named,
  Nullable,
  OneOf,
  Reference,
  ReferenceOrName,
  Text,
  Timestamp,
} from "../values.ts";
import { privacyControls } from "./classes.ts";

const Hostname = Type.String({
  maxLength: 253,
  pattern: "^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*$",
  description: "Host name",
});
const DeviceState = OneOf(["known", "new", "quarantined"], { description: "known, new or quarantined" });

/** null: the device's class decides, or the system default. */
const ownControls = {
  force_dns: Nullable(privacyControls.force_dns),
  block_doh: Nullable(privacyControls.block_doh),
  block_ipv6: Nullable(privacyControls.block_ipv6),
  block_webrtc: Nullable(privacyControls.block_webrtc),
};

/** The optional settings of a device. */
const optional = {
  mac: Nullable(MacAddress),
  hostname: Nullable(Hostname),
  ips: Type.Array(IpAddress, { maxItems: 32, uniqueItems: true }),
  vendor: Nullable(Name),
  state: DeviceState,
  notes: Text("Free text"),
  ...ownControls,
};

export const Device = named(
  "Device",
  Type.Object({
    id: Id,
    name: Name,
    ...optional,
    trust_class: Nullable(Reference("trust_class")),
    privacy_class: Nullable(Reference("privacy_class")),
    profile_id: Nullable(Reference("profile")),
    group_ids: Type.Array(Reference("device_group")),
    first_seen: Timestamp,
    last_seen: Nullable({
      ...Timestamp,
      description:
        "When it was last in the neighbour table, or sent a DNS query that may be logged; null: never observed",
    }),
  }),
);
export type Device = Static<typeof Device>;

export const devices = collection({
  path: "/devices",
  noun: "device",
  resource: Device,
  required: { name: Name },
  optional: {
    ...optional,
    trust_class: Nullable(ReferenceOrName("trust_class")),
    privacy_class: Nullable(ReferenceOrName("privacy_class")),
    profile_id: NotSupported(Nullable(ReferenceOrName("profile")), null),
    group_ids: Type.Array(ReferenceOrName("device_group"), { maxItems: 64, uniqueItems: true }),
  },
  filters: {
    name: Type.String({ maxLength: 120, description: "Part of the name" }),
    mac: MacAddress,
    state: DeviceState,
    trust_class: IdOrName("trust_class"),
    privacy_class: IdOrName("privacy_class"),
    group_id: IdOrName("device_group"),
  },
  cli: "devices",
  columns: ["id", "name", "mac", "hostname", "state", "trust_class", "privacy_class"],
});

const groupFields = { description: Text("Purpose of the group") };

export const DeviceGroup = named(
  "DeviceGroup",
  Type.Object({ id: Id, name: Name, ...groupFields, device_ids: Type.Array(Id) }),
);
export type DeviceGroup = Static<typeof DeviceGroup>;

export const deviceGroups = collection({
  path: "/device-groups",
  noun: "device group",
  resource: DeviceGroup,
  required: { name: Name },
  optional: {
    ...groupFields,
    device_ids: Type.Array(ReferenceOrName("device"), { maxItems: 20_000, uniqueItems: true }),
  },
  cli: "device-groups",
  columns: ["id", "name", "description"],
});
