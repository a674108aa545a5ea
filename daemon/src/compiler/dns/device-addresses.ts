import { formatAddress, parseAddress } from "../../net/addresses.ts";
import type { ClientDevice } from "./filter-policy.ts";

/** An entry of the kernel's neighbour table. */
export interface ObservedAddress {
  readonly mac: string;
  readonly address: string;
}

/** A device with its current addresses, the configured ones first. */
export type LocatedDevice = ClientDevice;

/**
 * An address belongs to the device that the neighbour table has for it. A configured address counts as long as no other device
 * has it there. The order of the table does not matter.
 */
export function withObservedAddresses(
  written: readonly ClientDevice[],
  seen: readonly ObservedAddress[],
): readonly LocatedDevice[] {
  const devices = normalized(written);
  const byMac = new Map(devices.flatMap((it) => (it.mac ? [[it.mac, it.id] as const] : [])));
  const owners = new Map(
    seen.flatMap(({ mac, address }) => {
      const owner = byMac.get(mac);
      return owner === undefined ? [] : [[address, owner] as const];
    }),
  );
  if (owners.size === 0) return devices;
  const found = Map.groupBy(owners.keys(), (address) => owners.get(address)!);
  return devices.map((device) => {
    const own = device.ips.filter((address) => (owners.get(address) ?? device.id) === device.id);
    const others = found.get(device.id)?.filter((address) => !own.includes(address)) ?? [];
    return { ...device, ips: [...own, ...others.toSorted(byFamily)] };
  });
}

/** Normalizes addresses of devices from earlier versions. The log is searched by the text that the resolver writes. */
const normalized = (devices: readonly ClientDevice[]): readonly ClientDevice[] =>
  devices.every(({ ips }) => ips.every((it) => it === normalizedAddress(it)))
    ? devices
    : devices.map((it) => ({ ...it, ips: it.ips.map(normalizedAddress) }));

function normalizedAddress(text: string): string {
  const address = parseAddress(text);
  return address ? formatAddress(address) : text;
}

const byFamily = (a: string, b: string): number =>
  Number(a.includes(":")) - Number(b.includes(":")) || (a < b ? -1 : 1);
