import { formatAddress, parseAddress } from "@portcullis/contract/addresses";
import type { ClientDevice } from "./filter-policy.ts";

/** Who answers for an address, by the kernel's own account. */
export interface ObservedAddress {
  readonly mac: string;
  readonly address: string;
}

/** A device with the addresses it has now, those that people gave it first. */
export type LocatedDevice = ClientDevice;

/**
 * An address is that of the device that answers for it. What people wrote down holds as long as no other device does; the
 * order of what is seen means nothing.
 */
export function withObservedAddresses(
  written: readonly ClientDevice[],
  seen: readonly ObservedAddress[],
): readonly LocatedDevice[] {
  const devices = spelled(written);
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

/** Devices from before addresses had one spelling. Logs are looked up by the text that the resolver writes. */
const spelled = (devices: readonly ClientDevice[]): readonly ClientDevice[] =>
  devices.every(({ ips }) => ips.every((it) => it === spelling(it)))
    ? devices
    : devices.map((it) => ({ ...it, ips: it.ips.map(spelling) }));

function spelling(text: string): string {
  const address = parseAddress(text);
  return address ? formatAddress(address) : text;
}

const byFamily = (a: string, b: string): number =>
  Number(a.includes(":")) - Number(b.includes(":")) || (a < b ? -1 : 1);
