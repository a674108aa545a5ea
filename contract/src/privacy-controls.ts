import type { PrivacyClass, TrustClass } from "./subsystems/classes.ts";
import type { Device } from "./subsystems/devices.ts";
import type { PrivacyDefaults } from "./subsystems/privacy.ts";

/** Controls that can be set for a device, for a privacy class and for the system. */
export const controls = ["force_dns", "block_doh", "block_ipv6", "block_webrtc"] as const;
export type Control = (typeof controls)[number];

/** The effective value of a control for a device, and the level that sets it. */
export interface EffectiveControl {
  readonly on: boolean;
  readonly from: "device" | "class" | "system";
}

/** Defaults for devices without a class: no control is on. */
export const defaultPrivacy: PrivacyDefaults = {
  dns_mode: "device",
  force_dns: false,
  block_doh: false,
  block_ipv6: false,
  block_webrtc: false,
};

/** The effective privacy class of a device: its own, or the default of its trust class. */
export function effectiveClass(
  { privacy_class, trust_class }: Pick<Device, "privacy_class" | "trust_class">,
  classOf: (id: string) => PrivacyClass | undefined,
  trustOf: (id: string) => TrustClass | undefined,
): PrivacyClass | undefined {
  if (privacy_class !== null) return classOf(privacy_class);
  const inherited = trust_class === null ? null : trustOf(trust_class)?.default_privacy_class;
  return inherited == null ? undefined : classOf(inherited);
}

/** The most specific setting decides: the device's own, else its class's, else the system's. */
export function effectiveControls(
  device: Partial<Pick<Device, Control>>,
  privacyClass: PrivacyDefaults | undefined,
  system: PrivacyDefaults,
): Readonly<Record<Control, EffectiveControl>> {
  const effective = (control: Control): EffectiveControl => {
    const own = device[control] ?? null;
    if (own !== null) return { on: own, from: "device" };
    return privacyClass
      ? { on: settingOf(privacyClass, control), from: "class" }
      : { on: settingOf(system, control), from: "system" };
  };
  return {
    force_dns: effective("force_dns"),
    block_doh: effective("block_doh"),
    block_ipv6: effective("block_ipv6"),
    block_webrtc: effective("block_webrtc"),
  };
}

/** dns_mode takes precedence over force_dns; only the mode `device` leaves the decision to force_dns. */
function settingOf(defaults: PrivacyDefaults, control: Control): boolean {
  if (control !== "force_dns" || defaults.dns_mode === "device") return defaults[control];
  return defaults.dns_mode === "system";
}
