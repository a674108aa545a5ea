import type { Device } from "@portcullis/contract/subsystems/devices";
import type { DeviceFields } from "./device-change.ts";

/** A device in a form: every field is text, none is null. */
export interface DeviceDraft {
  readonly name: string;
  readonly mac: string;
  readonly hostname: string;
  readonly vendor: string;
  readonly ips: string;
  readonly trust_class: string;
  readonly privacy_class: string;
  readonly group_ids: readonly string[];
  readonly notes: string;
}

export const draftOf = (device?: Device, mac = ""): DeviceDraft => ({
  name: device?.name ?? "",
  mac: device?.mac ?? mac,
  hostname: device?.hostname ?? "",
  vendor: device?.vendor ?? "",
  ips: device?.ips.join(", ") ?? "",
  trust_class: device?.trust_class ?? "",
  privacy_class: device?.privacy_class ?? "",
  group_ids: device?.group_ids ?? [],
  notes: device?.notes ?? "",
});

/** Addresses separated by commas, blanks or lines. */
export const addressesIn = (text: string): string[] => [...new Set(text.split(/[\s,;]+/).filter(Boolean))];

/** The request body. Identifying a device marks it as known and leaves the other fields alone. */
export function fieldsOf(draft: DeviceDraft, brief: boolean): DeviceFields {
  const who = {
    name: draft.name.trim(),
    trust_class: draft.trust_class || null,
    privacy_class: draft.privacy_class || null,
    group_ids: [...draft.group_ids],
  };
  if (brief) return { ...who, state: "known" };
  return {
    ...who,
    mac: draft.mac.trim() || null,
    hostname: draft.hostname.trim() || null,
    vendor: draft.vendor.trim() || null,
    ips: addressesIn(draft.ips),
    notes: draft.notes,
  };
}
