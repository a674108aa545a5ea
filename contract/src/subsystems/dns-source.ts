import Type, { type Static } from "typebox";
import { OneOf } from "../values.ts";

/** Whom a word about names is for. The nearest to a device decides: device, group, class, network, everyone. */
export const dnsSourceTypes = ["everyone", "device", "device_group", "privacy_class", "subnet"] as const;
export type DnsSourceType = (typeof dnsSourceTypes)[number];

export const DnsSourceTypeName = OneOf(dnsSourceTypes, { default: "everyone", description: "Whom it is for" });

const referable = ["device", "device_group", "privacy_class"] as const;

/** As it is asked for. */
export const dnsSource = {
  source_type: DnsSourceTypeName,
  source_value: Type.String({
    maxLength: 120,
    description: "Id or name of a device, device group or privacy class, or a network; empty for everyone",
  }),
};

/** As it is kept: names have become ids, which keep what they name from being deleted. */
export const storedDnsSource = {
  source_type: DnsSourceTypeName,
  source_value: Type.String({
    description: "Id of a device, device group or privacy class, or a network; empty for everyone",
    "x-references": referable,
  }),
};

/** As it is shown. */
export const sourceName = {
  source_name: Type.String({
    description: "What source_value refers to, by its name; otherwise the same as source_value",
  }),
};
const Kept = Type.Object(storedDnsSource);
export type DnsSource = Readonly<Static<typeof Kept>>;

/** Room for a name beyond ASCII as well; what is kept is its form in the DNS. */
export const Domain = Type.String({
  minLength: 1,
  maxLength: 254,
  description: "Domain name; letters beyond ASCII are kept in the form they have in the DNS",
});
