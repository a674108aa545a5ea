import type { PrivacyClass, TrustClass } from "./subsystems/classes.ts";
import type { Device } from "./subsystems/devices.ts";
import type { PrivacyDefaults } from "./subsystems/privacy.ts";

/** What can be switched on for a device, for a privacy class and for everybody. */
export const controls = ["force_dns", "block_doh", "block_ipv6", "block_webrtc"] as const;
export type Control = (typeof controls)[number];

/** One control as it holds for a device, and who said so. */
export interface EffectiveControl {
  readonly on: boolean;
  readonly from: "device" | "class" | "system";
}

/** Until somebody says otherwise a device without a class is left alone. */
export const defaultPrivacy: PrivacyDefaults = {
  dns_mode: "device",
  force_dns: false,
  block_doh: false,
  block_ipv6: false,
  block_webrtc: false,
};

/** The class that holds for a device: its own, or the one its trust class brings. */
export function effectiveClass(
  { privacy_class, trust_class }: Pick<Device, "privacy_class" | "trust_class">,
  classOf: (id: string) => PrivacyClass | undefined,
  trustOf: (id: string) => TrustClass | undefined,
): PrivacyClass | undefined {
  if (privacy_class !== null) return classOf(privacy_class);
  const brought = trust_class === null ? null : trustOf(trust_class)?.default_privacy_class;
  return brought == null ? undefined : classOf(brought);
}

/** The nearest voice decides: the device's own, else its class's, else the one for everybody. */
export function effectiveControls(
  device: Partial<Pick<Device, Control>>,
  privacyClass: PrivacyDefaults | undefined,
  system: PrivacyDefaults,
): Readonly<Record<Control, EffectiveControl>> {
  const held = (control: Control): EffectiveControl => {
    const own = device[control] ?? null;
    if (own !== null) return { on: own, from: "device" };
    return privacyClass
      ? { on: settingOf(privacyClass, control), from: "class" }
      : { on: settingOf(system, control), from: "system" };
  };
  return {
    force_dns: held("force_dns"),
    block_doh: held("block_doh"),
    block_ipv6: held("block_ipv6"),
    block_webrtc: held("block_webrtc"),
  };
}

/** Who decides which resolver answers comes before whether names are led to ours: `device` leaves that to the switch. */
function settingOf(said: PrivacyDefaults, control: Control): boolean {
  if (control !== "force_dns" || said.dns_mode === "device") return said[control];
  return said.dns_mode === "system";
}
