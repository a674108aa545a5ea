import { totalRate, type DeviceTraffic } from "../../components/traffic/rates.ts";
import type { Row } from "./finding.ts";

export const sortKeys = ["name", "group", "rate", "today", "seen", "state"] as const;
export type SortKey = (typeof sortKeys)[number];
/** `-` before the key: the other direction. */
export interface Sorting {
  readonly key: SortKey;
  readonly isReversed: boolean;
}

export function sortingOf(text: string): Sorting {
  const isReversed = text.startsWith("-");
  const key = sortKeys.find((it) => it === (isReversed ? text.slice(1) : text)) ?? "name";
  return { key, isReversed };
}

/** Pressed again, a heading sorts in the other direction. */
export const pressed = (sorting: Sorting, key: SortKey): string =>
  sorting.key === key && !sorting.isReversed ? `-${key}` : key;

/** Names and groups begin with A, figures with the largest. */
const beginsSmall: ReadonlySet<SortKey> = new Set(["name", "group", "state"]);

export const directionOf = ({ key, isReversed }: Sorting): "ascending" | "descending" =>
  beginsSmall.has(key) === isReversed ? "descending" : "ascending";

interface Known {
  readonly traffic: ReadonlyMap<string, DeviceTraffic> | undefined;
  readonly online: ReadonlySet<string> | undefined;
  readonly groupOf: (row: Row) => string;
}

const states = ["leaking", "direct", "unknown", "blocked", "protected"];

/** The rows are ordered by name; equal ones keep that order. */
export function sortedBy(
  rows: readonly Row[],
  { key, isReversed }: Sorting,
  { traffic, online, groupOf }: Known,
): readonly Row[] {
  if (key === "name") return isReversed ? rows.toReversed() : rows;
  const valueOf: Readonly<Record<Exclude<SortKey, "name">, (row: Row) => number | string>> = {
    group: groupOf,
    rate: ({ device }) => -(totalRate(traffic?.get(device.id)) ?? -1),
    today: ({ device }) => {
      const found = traffic?.get(device.id);
      return found ? -(found.received_bytes_today + found.sent_bytes_today) : 1;
    },
    seen: ({ device }) => (online?.has(device.id) ? -Infinity : -Date.parse(device.last_seen ?? "1970-01-01")),
    state: ({ deviceState }) => states.indexOf(deviceState.state),
  };
  const keyed = rows.map((row) => ({ row, value: valueOf[key](row) }));
  const sign = isReversed ? -1 : 1;
  return keyed.toSorted((a, b) => (a.value < b.value ? -sign : a.value > b.value ? sign : 0)).map(({ row }) => row);
}
