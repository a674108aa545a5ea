import Type, { type Static } from "typebox";
import { OneOf } from "../values.ts";

/** The clients of a DNS entry. The most specific entry decides: device, group, class, network, everyone. */
export const dnsSourceTypes = ["everyone", "device", "device_group", "privacy_class", "subnet"] as const;
export type DnsSourceType = (typeof dnsSourceTypes)[number];

export const DnsSourceTypeName = OneOf(dnsSourceTypes, {
  default: "everyone",
  description: "Type of the clients that it applies to",
});

const referable = ["device", "device_group", "privacy_class"] as const;

/** As in a request. */
export const dnsSource = {
  source_type: DnsSourceTypeName,
  source_value: Type.String({
    maxLength: 120,
    description: "Id or name of a device, device group or privacy class, or a network; empty for everyone",
  }),
};

/** As it is stored: names are replaced by ids, which prevent the deletion of the resource. */
export const storedDnsSource = {
  source_type: DnsSourceTypeName,
  source_value: Type.String({
    description: "Id of a device, device group or privacy class, or a network; empty for everyone",
    "x-references": referable,
  }),
};

/** Added in responses. */
export const sourceName = {
  source_name: Type.String({
    description: "Name of the resource that source_value refers to; otherwise the same as source_value",
  }),
};
const Kept = Type.Object(storedDnsSource);
export type DnsSource = Readonly<Static<typeof Kept>>;

/** Also long enough for an internationalized name; it is stored in its ASCII form. */
export const Domain = Type.String({
  minLength: 1,
  maxLength: 254,
  description: "Domain name; an internationalized name is stored in its ASCII form",
});
