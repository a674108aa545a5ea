import type { InputOf } from "@portcullis/contract/endpoint";
import type { PrivacyClass, privacyClasses, TrustClass, trustClasses } from "@portcullis/contract/subsystems/classes";
import { type NamedNeeds, namedResource } from "../named.ts";
import { given, newId, resolveOptional } from "../resources.ts";

/** Trust classes: the trust level of devices, and their defaults. */
export function trustClassService({ ledger, refuseInUse }: NamedNeeds) {
  type UpdateBody = InputOf<typeof trustClasses.update>["body"];

  const normalize = (body: UpdateBody) =>
    given({
      ...body,
      default_privacy_class: resolveOptional(
        ledger.staged("privacy_class"),
        "default_privacy_class",
        body.default_privacy_class,
      ),
      default_profile: resolveOptional(ledger.staged("profile"), "default_profile", body.default_profile),
    });
  return namedResource({
    ledger,
    refuseInUse,
    kind: "trust_class",
    noun: "trust class",
    create: (body: InputOf<typeof trustClasses.create>["body"]): TrustClass => ({
      ...trustDefaults,
      ...normalize(body),
      name: body.name,
      id: newId(),
    }),
    update: (before: TrustClass, body: UpdateBody): TrustClass => ({ ...before, ...normalize(body) }),
  });
}

/** Privacy classes. Defaults are on the side of privacy. */
export function privacyClassService({ ledger, refuseInUse }: NamedNeeds) {
  type CreateBody = InputOf<typeof privacyClasses.create>["body"];
  type UpdateBody = InputOf<typeof privacyClasses.update>["body"];
  return namedResource({
    ledger,
    refuseInUse,
    kind: "privacy_class",
    noun: "privacy class",
    create: (body: CreateBody): PrivacyClass => ({ ...privacyDefaults, ...given(body), name: body.name, id: newId() }),
    update: (before: PrivacyClass, body: UpdateBody): PrivacyClass => ({ ...before, ...given(body) }),
  });
}

const trustDefaults = { description: "", level: 50, default_privacy_class: null, default_profile: null } as const;

const privacyDefaults = {
  description: "",
  dns_mode: "system",
  force_dns: true,
  block_doh: true,
  block_ipv6: false,
  block_webrtc: true,
  require_tunnel: false,
  default_fail_policy: "fail-closed",
  log_level: "counts",
} as const satisfies Omit<PrivacyClass, "id" | "name">;
