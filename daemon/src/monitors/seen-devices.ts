import type { Device } from "@portcullis/contract/subsystems/devices";
import { memoize } from "../compiler/memoize.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { SeenDevices } from "../subsystems/devices/devices.service.ts";
import type { Sighting, Sightings } from "./sightings.ts";

type Known = Pick<Device, "id" | "mac" | "ips">;

/** Whether a neighbour is a device of the ledger: by its MAC, or by an address of a device without one. */
export function isKnownIn(ledger: Pick<Ledger, "revision" | "staged">): (sighting: Sighting) => boolean {
  const keys = memoize((_revision: number): ReadonlySet<string> => {
    const devices = ledger.staged<Known>("device").all();
    return new Set(devices.flatMap(({ mac, ips }) => (mac === null ? ips : [mac])));
  });
  return ({ mac, addresses }) => {
    const known = keys(ledger.revision());
    return known.has(mac) || addresses.some((it) => known.has(it));
  };
}

/** When devices were seen: in the neighbour table, and in the DNS log as far as it may be kept. */
export const seenDevices = (
  sightings: Pick<Sightings, "lastSeenMs" | "unknown">,
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
  unknown: (limit) =>
    sightings.unknown(limit).map(({ mac, addresses, interface: name, firstMs, lastMs }) => ({
      mac,
      addresses: [...addresses],
      interface: name,
      state: "new",
      first_seen: new Date(firstMs).toISOString(),
      last_seen: lastMs === null ? null : new Date(lastMs).toISOString(),
    })),
});
