import type { Device } from "@portcullis/contract/subsystems/devices";

/** A device somebody does something about, in a dialog. */
export interface Deed {
  readonly kind: "edit" | "who" | "remove";
  readonly device: Device;
}
