import type { Device } from "@portcullis/contract/subsystems/devices";

/** A device and the dialog that is open for it. */
export interface DeviceAction {
  readonly kind: "edit" | "who" | "remove";
  readonly device: Device;
}
