import { addressBytes, reverseName, reverseZoneNames } from "./address.model.ts";
import type { Zone, ZoneRecord } from "./nsd.model.ts";

export interface NamedDevice {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** A zone with the names of devices. Records of the operator take precedence. */
export function withDevices(zone: Zone, devices: readonly NamedDevice[]): Zone {
  const taken = new Set(zone.records.map(({ name }) => name.toLowerCase()));
  const records = labelled(devices)
    .filter(({ label }) => !taken.has(label))
    .flatMap(({ label, addresses }) => addresses.flatMap((address) => addressRecord(label, address)));
  return { ...zone, records: [...zone.records, ...records] };
}

function addressRecord(name: string, address: string): ZoneRecord[] {
  const bytes = addressBytes(address);
  if (!bytes || isLinkLocal(bytes)) return [];
  return [{ name, type: bytes.length === 4 ? "A" : "AAAA", value: address, ttlSec: null }];
}

/** Meaningless without its link. */
const isLinkLocal = (bytes: readonly number[]): boolean =>
  bytes.length === 16 && bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;

interface Reversed {
  /** The forward zone their names are in. */
  readonly zone: Zone;
  readonly devices: readonly NamedDevice[];
  /** LAN networks, as CIDR: their reverse names are answered locally. */
  readonly networks: readonly string[];
}

/** The zones in which the devices' addresses lead back to their names. */
export function reverseZones({ zone, devices, networks }: Reversed): Zone[] {
  const names = [...new Set(networks.flatMap(reverseZoneNames))].toSorted();
  const pointers = labelled(devices).flatMap(({ label, addresses }) =>
    addresses.flatMap((address) => {
      const bytes = addressBytes(address);
      return bytes ? [{ reverse: reverseName(bytes), value: `${label}.${zone.name}.` }] : [];
    }),
  );
  const { serial, ttlSec } = zone;
  return names.map((name) => ({
    name,
    serial,
    ttlSec,
    records: pointers
      // Of nested zones, the narrowest answers.
      .filter(({ reverse }) => narrowest(reverse, names) === name)
      .map(({ reverse, value }) => ({
        name: reverse.slice(0, -name.length - 1),
        type: "PTR" as const,
        value,
        ttlSec: null,
      })),
  }));
}

const narrowest = (reverse: string, zones: readonly string[]): string | undefined =>
  zones.filter((zone) => reverse.endsWith(`.${zone}`)).toSorted((a, b) => b.length - a.length)[0];

/** Each with a part of a name that is its own: the first keeps a name, the next of that name are counted. */
function labelled(
  devices: readonly NamedDevice[],
): { readonly label: string; readonly addresses: readonly string[] }[] {
  const taken = new Set<string>();
  return devices.flatMap(({ name, addresses }) => {
    const plain = labelOf(name);
    if (plain === "") return [];
    let [label, count] = [plain, 1];
    while (taken.has(label)) label = numbered(plain, (count += 1));
    taken.add(label);
    return [{ label, addresses }];
  });
}

/** A device may be called anything; what is not possible in a name becomes a hyphen. */
export const labelOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, maxLabel)
    .replace(/-$/, "");

const maxLabel = 63;
const numbered = (label: string, number: number): string =>
  `${label.slice(0, maxLabel - 6).replace(/-$/, "")}-${number}`;
