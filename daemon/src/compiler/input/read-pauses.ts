import type { Device } from "@portcullis/contract/subsystems/devices";
import { type Pause, type PausedClass, pauseObstacle } from "@portcullis/contract/subsystems/pauses";
import type { IntentException, IntentPause } from "./intent.ts";

/** The part of an active pause that the compiler reads. */
export interface ActivePause
  extends Pick<Pause, "id" | "type" | "source_type" | "source_value" | "domain" | "expires_at"> {
  /** Its end, in seconds of the machine's monotonic clock. */
  readonly untilSec: number;
}

type PausedDevice = Pick<Device, "id" | "mac" | "ips" | "group_ids" | "state" | "privacy_class" | "trust_class">;

interface PausedResources {
  readonly device: readonly PausedDevice[];
  readonly privacy_class: readonly (PausedClass & { readonly id: string })[];
  readonly trust_class: readonly { readonly id: string; readonly default_privacy_class: string | null }[];
}

/** Members of a group are those that it has now: a device that joins it is paused, one that leaves it is not. */
export function pausesOf(resources: PausedResources, active: readonly ActivePause[]): IntentPause[] {
  if (active.length === 0) return [];
  const isAllowed = permitting(resources);
  return active.map((it) => ({
    id: it.id,
    type: it.type,
    sourceType: it.source_type,
    sourceValue: it.source_value,
    domain: it.domain,
    deviceIds:
      it.type === "protection"
        ? resources.device.filter((device) => isIn(device, it) && isAllowed(device)).map(({ id }) => id)
        : [],
    untilSec: it.untilSec,
  }));
}

/** A pause of protection is an exception for each of its devices, with the same end in the kernel. */
export function pausedDevices(
  { device }: PausedResources,
  active: readonly ActivePause[],
  pauses: readonly IntentPause[],
): IntentException[] {
  const ends = new Map(active.map(({ id, expires_at }) => [id, Date.parse(expires_at)]));
  const devices = pauses.some(({ deviceIds }) => deviceIds.length > 0)
    ? new Map(device.map((it) => [it.id, it]))
    : null;
  return pauses.flatMap(({ id, deviceIds }) =>
    deviceIds.map((deviceId): IntentException => {
      const { mac, ips } = devices!.get(deviceId)!;
      const untilMs = ends.get(id)!;
      return { id, type: pauseException, effect: "direct", deviceId, mac, ips, destinations: [], untilMs };
    }),
  );
}

/** The type of an exception that is a pause. */
export const pauseException = "pause";

const isIn = (device: PausedDevice, { source_type, source_value }: ActivePause): boolean =>
  source_type === "everyone" ||
  (source_type === "device" ? device.id === source_value : device.group_ids.includes(source_value));

function permitting({ privacy_class, trust_class }: PausedResources): (device: PausedDevice) => boolean {
  const classes = new Map(privacy_class.map((it) => [it.id, it]));
  const byTrust = new Map(trust_class.map((it) => [it.id, it.default_privacy_class]));
  return (device) => {
    const id = device.privacy_class ?? (device.trust_class === null ? null : byTrust.get(device.trust_class)) ?? "";
    return pauseObstacle(device, classes.get(id)) === null;
  };
}
