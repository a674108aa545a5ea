import type { Device } from "@portcullis/contract/subsystems/devices";
import type { StateName } from "../../ui/state.tsx";
import { type Belongings, effectiveClass } from "../../components/effective-class.ts";
import { type DeviceState, unknownDeviceState } from "./device-state.ts";

/** Filters of the list; empty: no filter. */
export interface Wanted {
  readonly text: string;
  readonly posture: string;
  readonly state: string;
  /** Id of a privacy or trust class. */
  readonly class: string;
  readonly group: string;
  /** "yes": only devices that are online. */
  readonly online: string;
}

/** A device with values derived from it alone. */
export interface Known {
  readonly device: Device;
  /** All searchable text, in lower case. */
  readonly searched: string;
}

/** A device with everything that is shown of it, built once for the whole list. */
export interface Row extends Known {
  readonly deviceState: DeviceState;
  /** Ids of its effective classes. */
  readonly classes: readonly string[];
}

const kept = new WeakMap<readonly Device[], readonly Known[]>();

/** New devices first, then by name; the result is cached for the next visit of the page. */
export function inOrder(devices: readonly Device[]): readonly Known[] {
  const known = kept.get(devices) ?? sorted(devices);
  kept.set(devices, known);
  return known;
}

/** Each of ten thousand names is normalized once, not at every comparison. */
const sorted = (devices: readonly Device[]): Known[] =>
  devices
    .map((device) => ({ device, key: `${device.state === "new" ? 0 : 1}${sortKey(device.name)}` }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ device }) => ({
      device,
      searched: [device.name, device.hostname, device.vendor, device.mac, ...device.ips].join(" ").toLowerCase(),
    }));

/** Sort keys for natural order: accents and case do not count, and 9 comes before 10. */
const sortKey = (name: string): string =>
  name
    .normalize("NFD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll(/\d+/g, (digits) => digits.padStart(12, "0"));

/** In input order. Runs again with every query that arrives while the page loads, so it must be cheap. */
export const rowsOf = (
  known: readonly Known[],
  deviceStates: ReadonlyMap<string, DeviceState>,
  belongings: Pick<Belongings, "privacy" | "trust">,
): Row[] =>
  known.map(({ device, searched }) => ({
    device,
    searched,
    deviceState: deviceStates.get(device.id) ?? unknownDeviceState,
    classes: classesOf(device, belongings),
  }));

const none: readonly string[] = [];

function classesOf(device: Device, belongings: Pick<Belongings, "privacy" | "trust">): readonly string[] {
  if (device.privacy_class === null && device.trust_class === null) return none;
  return [effectiveClass(device, belongings)?.privacy.id, device.trust_class].filter((id) => id != null);
}

/** Rows that match. Each word of the text must occur. */
export function fitting(rows: readonly Row[], wanted: Wanted, online: ReadonlySet<string> | undefined): readonly Row[] {
  const messages = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
  const tests: ((row: Row) => boolean)[] = [];
  if (messages.length > 0) tests.push(({ searched }) => messages.every((word) => searched.includes(word)));
  if (wanted.posture) tests.push(({ deviceState }) => deviceState.state === wanted.posture);
  if (wanted.state) tests.push(({ device }) => device.state === wanted.state);
  if (wanted.class) tests.push(({ classes }) => classes.includes(wanted.class));
  if (wanted.group) tests.push(({ device }) => device.group_ids.includes(wanted.group));
  if (wanted.online && online) tests.push(({ device }) => online.has(device.id));
  return tests.length === 0 ? rows : rows.filter((row) => tests.every((fits) => fits(row)));
}

export interface Counts {
  readonly all: number;
  readonly deviceState: Readonly<Record<StateName, number>>;
  readonly state: Readonly<Record<Device["state"], number>>;
}

export function countsOf(rows: readonly Row[]): Counts {
  const deviceState = { protected: 0, blocked: 0, direct: 0, leaking: 0, unknown: 0 };
  const state = { known: 0, new: 0, quarantined: 0 };
  for (const row of rows) {
    deviceState[row.deviceState.state] += 1;
    state[row.device.state] += 1;
  }
  return { all: rows.length, deviceState, state };
}
