import type { PrivacyClass } from "@portcullis/contract/subsystems/classes";
import type { Device } from "@portcullis/contract/subsystems/devices";
import type { Policy, Profile } from "@portcullis/contract/subsystems/routing";
import type { Intent, IntentDevice, IntentPolicy, Network } from "./intent.ts";
import { remember } from "./remember.ts";

/** A document, published or staged, as far as the compiler reads it. */
export interface Resources {
  readonly device: readonly Omit<Device, "last_seen">[];
  readonly device_group: readonly { readonly id: string }[];
  readonly privacy_class: readonly PrivacyClass[];
  readonly trust_class: readonly { readonly id: string; readonly default_privacy_class: string | null }[];
  readonly routing_policy: readonly Policy[];
  readonly profile: readonly Profile[];
}

export const intentOf = (resources: Resources, network: Network): Intent => intentReader(network)(resources);

/** Resources → intent: disabled policies are out, profiles are spelled out, classes become what they demand. */
export function intentReader(network: Network): (resources: Resources) => Intent {
  const policies = remember(policiesOf);
  return (resources) => ({
    network,
    groups: resources.device_group.map(({ id }) => id),
    devices: devicesOf(resources),
    policies: policies(resources.routing_policy, resources.profile),
  });
}

function devicesOf({ device, privacy_class, trust_class }: Resources): IntentDevice[] {
  const demanding = new Set(privacy_class.filter((it) => it.require_tunnel).map(({ id }) => id));
  const byTrust = new Map(trust_class.map((it) => [it.id, it.default_privacy_class]));
  const classOf = (it: Pick<Device, "privacy_class" | "trust_class">): string =>
    it.privacy_class ?? (it.trust_class === null ? null : byTrust.get(it.trust_class)) ?? "";
  return device.map((it) => ({
    id: it.id,
    mac: it.mac,
    ips: it.ips,
    groupIds: it.group_ids,
    requiresTunnel: demanding.has(classOf(it)),
  }));
}

function policiesOf(policies: readonly Policy[], profiles: readonly Profile[]): IntentPolicy[] {
  const profileById = new Map(profiles.map((profile) => [profile.id, profile]));
  return policies
    .filter(({ enabled }) => enabled)
    .map((policy) => {
      const { hops, fail_policy, splitting } = (policy.profile_id && profileById.get(policy.profile_id)) || policy;
      const { id, priority, source_type, source_value } = policy;
      return {
        id,
        priority,
        sourceType: source_type,
        sourceValue: source_value,
        hops,
        failPolicy: fail_policy,
        splitting,
      };
    });
}
