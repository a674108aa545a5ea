import type { InputOf } from "@portcullis/contract/endpoint";
import type { DeviceGroup, deviceGroups } from "@portcullis/contract/subsystems/devices";
import type { Cause, Draft } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { found, given, newId, pageOf, refuseFull, refuseTaken, resolve } from "../resources.ts";
import type { StagedDevice } from "./devices.service.ts";

/** Membership is stored in the device: a change of one member writes one device, however large the group. */
type StagedGroup = Omit<DeviceGroup, "device_ids">;

type CreateBody = InputOf<typeof deviceGroups.create>["body"];
type UpdateBody = InputOf<typeof deviceGroups.update>["body"];

interface Needs {
  readonly ledger: Ledger;
  readonly refuseInUse: (kind: string, id: string, except: readonly string[]) => void;
}

export type DeviceGroups = ReturnType<typeof deviceGroupService>;

export function deviceGroupService({ ledger, refuseInUse }: Needs) {
  const collection = ledger.staged<StagedGroup>("device_group");
  const devices = ledger.staged<StagedDevice>("device");

  const withMembers = (groups: readonly StagedGroup[]): DeviceGroup[] => {
    const members = new Map(groups.map(({ id }) => [id, [] as string[]]));
    for (const device of devices.all()) for (const group of device.group_ids) members.get(group)?.push(device.id);
    return groups.map((group) => ({ ...group, device_ids: members.get(group.id)! }));
  };
  const show = (id: string): DeviceGroup => withMembers([found(collection, "device group", id)])[0]!;

  function put(
    cause: Cause,
    { device_ids, ...group }: StagedGroup & { device_ids?: readonly string[] | undefined },
  ): DeviceGroup {
    ledger.change(cause, (draft) => {
      refuseTaken(collection, "device group", "name", group.name, group.id);
      draft.put("device_group", group);
      if (device_ids) setMembers(draft, group.id, new Set(device_ids.map((it) => resolve(devices, "device_ids", it))));
    });
    return show(group.id);
  }

  function setMembers(draft: Draft, group: string, wanted: ReadonlySet<string>): void {
    const moving = devices.all().filter(({ id, group_ids }) => wanted.has(id) !== group_ids.includes(group));
    if (moving.length > 0) draft.about(group);
    for (const device of moving)
      draft.put("device", {
        ...device,
        group_ids: wanted.has(device.id) ? [...device.group_ids, group] : device.group_ids.filter((id) => id !== group),
      } as StagedDevice);
  }

  return {
    list: (query: { limit?: number; cursor?: string }) => {
      const { items, ...rest } = pageOf(collection, query);
      return { items: withMembers(items), ...rest };
    },
    get: show,
    create: (cause: Cause, { name, description = "", device_ids }: CreateBody): DeviceGroup => {
      refuseFull(collection, "device groups");
      return put(cause, { id: newId(), name, description, device_ids });
    },
    update: (cause: Cause, id: string, body: UpdateBody): DeviceGroup =>
      put(cause, { ...found(collection, "device group", id), ...given(body) }),
    /** Deleting a group removes the membership of its devices. */
    remove: (cause: Cause, id: string): void => {
      found(collection, "device group", id);
      refuseInUse("device_group", id, ["device"]);
      ledger.change(cause, (draft) => {
        setMembers(draft, id, new Set());
        draft.remove("device_group", id);
      });
    },
  };
}
