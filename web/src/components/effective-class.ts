import type { PrivacyClass, TrustClass } from "@portcullis/contract/subsystems/classes";
import type { Device, DeviceGroup } from "@portcullis/contract/subsystems/devices";

/** Classes and groups of devices, by id. */
export interface Belongings {
  readonly trust: ReadonlyMap<string, TrustClass>;
  readonly privacy: ReadonlyMap<string, PrivacyClass>;
  readonly groups: ReadonlyMap<string, DeviceGroup>;
}

/** The effective privacy class of a device: its own, or the default of its trust class. */
export interface EffectiveClass {
  readonly privacy: PrivacyClass;
  /** Absent: the device's own class. */
  readonly through?: TrustClass;
}

export function effectiveClass(
  { privacy_class, trust_class }: Pick<Device, "privacy_class" | "trust_class">,
  { privacy, trust }: Pick<Belongings, "privacy" | "trust">,
): EffectiveClass | undefined {
  const own = privacy_class === null ? undefined : privacy.get(privacy_class);
  if (privacy_class !== null) return own && { privacy: own };
  const through = trust_class === null ? undefined : trust.get(trust_class);
  const brought = through?.default_privacy_class == null ? undefined : privacy.get(through.default_privacy_class);
  return through && brought && { privacy: brought, through };
}
