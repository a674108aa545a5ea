import type { Device } from "@portcullis/contract/subsystems/devices";
import { memoize } from "../compiler/memoize.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { SeenDevices } from "../subsystems/devices/devices.service.ts";
import type { Sighting, Sightings } from "./sightings.ts";

type Known = Pick<Device, "id" | "name" | "mac" | "ips">;

/** The device of the ledger that a card belongs to: by its MAC, or by an address of a device without one. */
export function knownDevices(
  ledger: Pick<Ledger, "revision" | "staged">,
): (sighting: Pick<Sighting, "mac" | "addresses">) => Known | undefined {
  const byKey = memoize((_revision: number): ReadonlyMap<string, Known> => {
    const devices = ledger.staged<Known>("device").all();
    return new Map(devices.flatMap((it) => (it.mac === null ? it.ips : [it.mac]).map((key) => [key, it] as const)));
  });
  return ({ mac, addresses }) => {
    const known = byKey(ledger.revision());
    return known.get(mac) ?? addresses.map(({ address }) => known.get(address)).find((it) => it !== undefined);
  };
}

/** When devices were seen: in the neighbour table, and in the DNS log as far as it may be kept. */
export const seenDevices = (
  sightings: Pick<Sightings, "lastSeenMs">,
  clients: () => readonly { readonly address: string; readonly lastMs: number }[],
): SeenDevices => ({
  lastSeen: () => {
    let queried: ReadonlyMap<string, number> | undefined;
    return ({ mac, ips }) => {
      if (ips.length > 0) queried ??= new Map(clients().map(({ address, lastMs }) => [address, lastMs]));
      const times = [mac === null ? null : sightings.lastSeenMs(mac), ...ips.map((ip) => queried?.get(ip) ?? null)];
      const latest = Math.max(...times.map((it) => it ?? -Infinity));
      return latest === -Infinity ? null : new Date(latest).toISOString();
    };
  },
});
