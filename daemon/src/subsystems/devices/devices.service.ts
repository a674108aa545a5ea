import { formatAddress, formatMac, parseAddress } from "../../net/addresses.ts";
import type { InputOf } from "@portcullis/contract/endpoint";
import type { Control } from "@portcullis/contract/privacy-controls";
import type { Device, devices } from "@portcullis/contract/subsystems/devices";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { found, given, newId, pageOf, refuseFull, refuseTaken, resolve, resolveOptional } from "../resources.ts";

/** The staged part of a device, without last_seen, which is observed. Controls that were never set are absent. */
export type StagedDevice = Omit<Device, "last_seen" | Control> & Partial<Pick<Device, Control>>;

type CreateBody = InputOf<typeof devices.create>["body"];
type UpdateBody = InputOf<typeof devices.update>["body"];
type ListQuery = InputOf<typeof devices.list>["query"];

interface Needs {
  readonly ledger: Ledger;
  readonly now: () => Date;
  readonly refuseInUse: (kind: string, id: string) => void;
  readonly seen: SeenDevices;
}

/** Observations of devices. */
export interface SeenDevices {
  /** When each device was last observed; prepared once for a whole page. */
  readonly lastSeen: () => (device: { readonly mac: string | null; readonly ips: readonly string[] }) => string | null;
}

export type Devices = ReturnType<typeof deviceService>;

export function deviceService({ ledger, now, refuseInUse, seen }: Needs) {
  const collection = ledger.staged<StagedDevice>("device");

  /** Names of other resources become ids, addresses get their canonical form. */
  function normalize(body: UpdateBody) {
    return given({
      ...body,
      mac: body.mac == null ? body.mac : formatMac(body.mac),
      ips: body.ips && [...new Set(body.ips.map((it) => formatAddress(parseAddress(it)!)))],
      trust_class: resolveOptional(ledger.staged("trust_class"), "trust_class", body.trust_class),
      privacy_class: resolveOptional(ledger.staged("privacy_class"), "privacy_class", body.privacy_class),
      profile_id: resolveOptional(ledger.staged("profile"), "profile_id", body.profile_id),
      group_ids: body.group_ids && [
        ...new Set(body.group_ids.map((it) => resolve(ledger.staged("device_group"), "group_ids", it))),
      ],
    });
  }

  function put(cause: Cause, device: StagedDevice): Device {
    ledger.change(cause, (draft) => {
      refuseTaken(collection, "device", "mac", device.mac, device.id);
      refuseTaken(collection, "device", "name", device.name, device.id);
      draft.put("device", withoutUnsetControls(device));
    });
    return shown(device);
  }
  const shown = (device: StagedDevice, lastSeen = seen.lastSeen()): Device => ({
    ...unsetControls,
    ...device,
    last_seen: lastSeen(device),
  });

  return {
    list: (query: ListQuery) => {
      const { items, ...rest } = pageOf(collection, query, matcher(query));
      const lastSeen = seen.lastSeen();
      return { items: items.map((it) => shown(it, lastSeen)), ...rest };
    },
    get: (id: string): Device => shown(found(collection, "device", id)),
    create: (cause: Cause, body: CreateBody): Device => {
      refuseFull(collection, "devices");
      return put(cause, {
        ...blank,
        ...normalize(body),
        id: newId(),
        name: body.name,
        first_seen: now().toISOString(),
      });
    },
    update: (cause: Cause, id: string, body: UpdateBody): Device =>
      put(cause, { ...found(collection, "device", id), ...normalize(body) }),
    remove: (cause: Cause, id: string): void => {
      found(collection, "device", id);
      refuseInUse("device", id);
      ledger.change(cause, (draft) => draft.remove("device", id));
    },
  };
}

const blank = {
  mac: null,
  hostname: null,
  ips: [],
  vendor: null,
  state: "known",
  notes: "",
  trust_class: null,
  privacy_class: null,
  profile_id: null,
  group_ids: [],
} as const satisfies Partial<StagedDevice>;

const unsetControls = { force_dns: null, block_doh: null, block_ipv6: null, block_webrtc: null };

/** Unset controls are not stored: rows that are older than the controls stay unchanged. */
const withoutUnsetControls = (device: StagedDevice): StagedDevice => {
  const unset = Object.keys(unsetControls).filter((control) => device[control as Control] == null);
  return Object.fromEntries(Object.entries(device).filter(([field]) => !unset.includes(field))) as StagedDevice;
};

/** The filter of a list; undefined: all devices. */
function matcher({
  name,
  mac,
  state,
  trust_class,
  privacy_class,
  group_id,
}: ListQuery): ((device: StagedDevice) => boolean) | undefined {
  const wanted = given({ state, trust_class, privacy_class, mac: mac && formatMac(mac) });
  const part = name?.toLowerCase();
  if (Object.keys(wanted).length === 0 && part === undefined && group_id === undefined) return undefined;
  return (device) =>
    Object.entries(wanted).every(([field, value]) => device[field as keyof StagedDevice] === value) &&
    (part === undefined || device.name.toLowerCase().includes(part)) &&
    (group_id === undefined || device.group_ids.includes(group_id));
}
