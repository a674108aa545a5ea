import { join } from "node:path";
import { openLedger } from "../daemon/src/ledger/ledger.ts";
import type { StagedDevice } from "../daemon/src/subsystems/devices/devices.service.ts";
import { folderWith } from "./earlier-state.ts";
import type { temporaryFolder } from "./folder.ts";

/** A state folder in which these devices have been published already: making them one by one would take a minute. */
export function folderWithDevices(
  ids: readonly string[],
  earlier: Parameters<typeof folderWith>[0] = {},
): ReturnType<typeof temporaryFolder> {
  const folder = folderWith(earlier);
  const ledger = openLedger({
    path: join(folder.path, "state", "portcullis.db"),
    kinds: { device: "at-once" },
    now: () => new Date(),
    refuse: (refusal) => new Error(refusal),
    keepRevisions: 100,
  });
  const cause = { actor: "system", action: "create_device", resourceType: "device" };
  ledger.change(cause, (draft) => ids.forEach((id, place) => draft.put("device", device(id, place))));
  ledger.close();
  return folder;
}

/** The MAC address of the n-th device. */
export const macOf = (place: number): string =>
  `02:00:00:00:${(place >> 8).toString(16).padStart(2, "0")}:${(place & 255).toString(16).padStart(2, "0")}`;

const device = (id: string, place: number): StagedDevice => ({
  id,
  name: `Device ${place}`,
  mac: macOf(place),
  hostname: `device-${place}.lan`,
  ips: [`10.0.${place >> 8}.${place & 255}`],
  vendor: "Acme",
  state: "known",
  notes: "",
  trust_class: null,
  privacy_class: null,
  profile_id: null,
  group_ids: [],
  first_seen: "2030-01-01T00:00:00.000Z",
});
