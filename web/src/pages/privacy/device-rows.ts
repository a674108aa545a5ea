import { controls, type Control } from "@portcullis/contract/privacy-controls";
import type { ReasonTexts } from "../../i18n/reason.ts";
import type { StateName } from "../../ui/state.tsx";
import { type PrivacyOfDevice, stateOfDevice } from "../../components/privacy/verdicts.ts";

/** Controls from one source: those it switches on, and those that a device's own setting keeps off. */
export interface ControlSource {
  readonly from: PrivacyOfDevice["controls"][Control]["from"];
  readonly on: readonly Control[];
  readonly off: readonly Control[];
}

/** The most specific source first. Controls that are off are listed only for a device's own setting. */
export function controlSourcesOf(held: PrivacyOfDevice["controls"]): ControlSource[] {
  return (["device", "class", "system"] as const)
    .map((from) => {
      const fromHere = controls.filter((it) => held[it].from === from);
      const off = from === "device" ? fromHere.filter((it) => !held[it].on) : [];
      return { from, on: fromHere.filter((it) => held[it].on), off };
    })
    .filter(({ on, off }) => on.length + off.length > 0);
}

export interface Row {
  readonly device: PrivacyOfDevice;
  readonly state: StateName;
  /** Searchable text. */
  readonly searched: string;
}

const order: readonly StateName[] = ["leaking", "direct", "blocked", "protected", "unknown"];

/** Devices that need attention come first. */
export const rowsOf = (devices: readonly PrivacyOfDevice[], why: ReasonTexts): Row[] =>
  devices
    .map((device) => ({
      device,
      state: stateOfDevice(device),
      searched: `${device.name} ${why.line(device)}`.toLowerCase(),
    }))
    .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || (a.searched < b.searched ? -1 : 1));

export const fitting = (rows: readonly Row[], text: string, state: string): readonly Row[] => {
  const wanted = text.trim().toLowerCase();
  if (wanted === "" && state === "") return rows;
  return rows.filter((it) => (state === "" || it.state === state) && it.searched.includes(wanted));
};

export function countsOf(rows: readonly Row[]): Record<StateName, number> {
  const counts = { protected: 0, blocked: 0, direct: 0, leaking: 0, unknown: 0 };
  for (const { state } of rows) counts[state] += 1;
  return counts;
}

/** Number of devices for which at least one control comes from the default. */
export const countUsingDefaults = (devices: readonly PrivacyOfDevice[]): number =>
  devices.filter(({ controls: held }) => controls.some((it) => held[it].from === "system")).length;
