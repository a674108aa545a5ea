import Type, { type Static } from "typebox";
import { collection } from "../collection.ts";
import { Id, Name, named, Nullable, OneOf, Reference, ReferenceOrName, Text, NotSupported } from "../values.ts";

const trust = {
  description: Text("Devices that the class is for"),
  level: Type.Integer({ minimum: 0, maximum: 100, description: "0: unknown device, 100: the operator's own device" }),
};

export const TrustClass = named(
  "TrustClass",
  Type.Object({
    id: Id,
    name: Name,
    ...trust,
    default_privacy_class: Nullable(Reference("privacy_class")),
    default_profile: Nullable(Reference("profile")),
  }),
);
export type TrustClass = Static<typeof TrustClass>;

export const trustClasses = collection({
  path: "/trust-classes",
  noun: "trust class",
  resource: TrustClass,
  required: { name: Name },
  optional: {
    ...trust,
    default_privacy_class: Nullable(ReferenceOrName("privacy_class")),
    default_profile: NotSupported(Nullable(ReferenceOrName("profile")), null),
  },
  cli: "trust-classes",
  columns: ["id", "name", "level", "default_privacy_class"],
});

export const FailPolicy = OneOf(["fail-closed", "fail-open", "fail-over"], {
  description: "What happens when a hop is down: drop, go direct, or let the next policy decide",
});

export const DnsMode = OneOf(["off", "device", "system"], {
  description:
    "Which resolver answers. system: always the gateway's; device: the one that the device queries, unless force_dns is on; off: the one that the device queries, also with force_dns",
});

/** Controls that can be set for a device, a class or the system. */
export const privacyControls = {
  force_dns: Type.Boolean({ description: "Redirect port 53 to the gateway's resolver" }),
  block_doh: Type.Boolean({ description: "Refuse encrypted DNS to outside resolvers" }),
  block_ipv6: Type.Boolean({ description: "Block outgoing IPv6" }),
  block_webrtc: Type.Boolean({ description: "Refuse STUN, which reveals the real address to a page" }),
};

const privacy = {
  description: Text("Devices that the class protects, and from what"),
  dns_mode: DnsMode,
  ...privacyControls,
  require_tunnel: Type.Boolean({ description: "Block the device when no policy sends it through a tunnel" }),
  default_fail_policy: FailPolicy,
  log_level: OneOf(["full", "counts", "none"], {
    description:
      "How much of its DNS queries and its traffic is recorded: full: with names, counts: only sums, none: nothing",
  }),
};

export const PrivacyClass = named("PrivacyClass", Type.Object({ id: Id, name: Name, ...privacy }));
export type PrivacyClass = Static<typeof PrivacyClass>;

export const privacyClasses = collection({
  path: "/privacy-classes",
  noun: "privacy class",
  resource: PrivacyClass,
  required: { name: Name },
  optional: { ...privacy, default_fail_policy: NotSupported(FailPolicy, "fail-closed") },
  cli: "privacy-classes",
  columns: ["id", "name", "dns_mode", "require_tunnel", "default_fail_policy"],
  idInQuery: true,
});
