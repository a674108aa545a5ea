import type { InputOf } from "@portcullis/contract/endpoint";
import {
  type Control,
  effectiveControls,
  type EffectiveControl,
  effectiveClass,
  defaultPrivacy,
} from "@portcullis/contract/privacy-controls";
import { Problem } from "@portcullis/contract/problem";
import type { PrivacyClass, TrustClass } from "@portcullis/contract/subsystems/classes";
import type { Device } from "@portcullis/contract/subsystems/devices";
import type { ControlState, PrivacyDefaults, privacy, PublishedPrivacy } from "@portcullis/contract/subsystems/privacy";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { refuseField, resolve } from "../resources.ts";

type Switching = NonNullable<InputOf<typeof privacy.forceDns>["body"]>;
type Switched = Omit<ControlState, "enforced">;

/** The fields of a device that determine its controls. */
export type ControlledDevice = Pick<Device, "id" | "name" | "privacy_class" | "trust_class"> &
  Partial<Pick<Device, Control>>;

interface Needs {
  readonly ledger: Ledger;
  readonly updateDevice: (cause: Cause, id: string, settings: Partial<Record<Control, boolean | null>>) => unknown;
  readonly updateClass: (cause: Cause, id: string, settings: Partial<Record<Control, boolean>>) => unknown;
}

/** The system defaults are one resource, with the fields that were set. */
export const privacyId = "privacy";

export type Privacy = ReturnType<typeof privacyService>;

/** Privacy controls of devices, privacy classes and the system. */
export function privacyService({ ledger, updateDevice, updateClass }: Needs) {
  const collection = ledger.staged<PublishedPrivacy>("privacy");
  const devices = ledger.staged<ControlledDevice>("device");
  const classes = ledger.staged<PrivacyClass>("privacy_class");
  const trusts = ledger.staged<TrustClass>("trust_class");

  const stored = (): PublishedPrivacy => collection.get(privacyId) ?? { id: privacyId };
  const systemDefaults = (): PrivacyDefaults => {
    const { id: _, ...defaults } = stored();
    return { ...defaultPrivacy, ...defaults };
  };
  const updateDefaults = (cause: Cause, changes: Partial<PrivacyDefaults>) =>
    ledger.change(cause, (draft) => draft.put("privacy", { ...stored(), ...changes }));
  const classOf = (device: ControlledDevice): PrivacyClass | undefined =>
    effectiveClass(
      device,
      (id) => classes.get(id),
      (id) => trusts.get(id),
    );
  const controlsFor = (device: ControlledDevice): Readonly<Record<Control, EffectiveControl>> =>
    effectiveControls(device, classOf(device), systemDefaults());

  function switchDevice(cause: Cause, control: Control, id: string, enabled: boolean | null | undefined): Switched {
    const wanted = enabled === undefined ? !controlsFor(devices.get(id)!)[control].on : enabled;
    updateDevice(cause, id, { [control]: wanted });
    const { on } = controlsFor(devices.get(id)!)[control];
    return { control, scope: "device", device_id: id, privacy_class: null, enabled: wanted, on };
  }
  function switchClass(cause: Cause, control: Control, id: string, enabled: boolean | undefined): Switched {
    const wanted = enabled ?? opposite(classes.get(id)!, control);
    updateClass(cause, id, { [control]: wanted });
    const { on } = effectiveControls({}, classes.get(id)!, systemDefaults())[control];
    return { control, scope: "class", device_id: null, privacy_class: id, enabled: wanted, on };
  }
  function switchSystem(cause: Cause, control: Control, enabled: boolean | undefined): Switched {
    const wanted = enabled ?? opposite(systemDefaults(), control);
    updateDefaults(cause, { [control]: wanted });
    const { on } = effectiveControls({}, undefined, systemDefaults())[control];
    return { control, scope: "system", device_id: null, privacy_class: null, enabled: wanted, on };
  }

  return {
    systemDefaults,
    classOf,
    controlsFor,
    put: updateDefaults,
    setDnsMode: (cause: Cause, mode: PrivacyDefaults["dns_mode"]) => updateDefaults(cause, { dns_mode: mode }),
    switch: (cause: Cause, control: Control, { device_id, privacy_class, enabled }: Switching): Switched => {
      if (device_id !== undefined && privacy_class !== undefined)
        return refuseField("privacy_class", "and device_id exclude each other");
      if (device_id !== undefined)
        return switchDevice(cause, control, resolve(devices, "device_id", device_id), enabled);
      if (enabled === null)
        return refuseField("enabled", "can be null for a device only; a class and the system have true or false");
      return privacy_class === undefined
        ? switchSystem(cause, control, enabled)
        : switchClass(cause, control, resolve(classes, "privacy_class", privacy_class), enabled);
    },
  };
}

/** Inverting force_dns while dns_mode decides would have no effect. */
function opposite(defaults: PrivacyDefaults, control: Control): boolean {
  if (control === "force_dns" && defaults.dns_mode !== "device")
    throw new Problem(
      "conflict",
      { field: "dns_mode" },
      {
        message: `dns_mode is ${defaults.dns_mode} and takes precedence over this control: give enabled, or set dns_mode to device`,
      },
    );
  return !defaults[control];
}
