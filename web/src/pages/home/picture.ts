import { totalRate, type DeviceTraffic } from "../../components/traffic/rates.ts";
import type { Postures } from "@portcullis/contract/subsystems/routing";
import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";

/** Devices, the gate and the exits, as data. */
export interface Picture {
  readonly rows: readonly PictureRow[];
  /** In the order of the rows. */
  readonly exits: readonly PictureExit[];
}

export type RowState = "protected" | "blocked" | "direct" | "leaking";

export interface PictureRow {
  readonly key: string;
  /** One device, or how many are drawn together. */
  readonly device: { readonly id: string; readonly name: string } | undefined;
  readonly count: number;
  readonly isIdle: boolean;
  /** Bytes per second; null: not measured. */
  readonly rate: number | null;
  readonly state: RowState;
  /** Key of its exit; null: outside the VPN. */
  readonly exit: string | null;
}

export interface PictureExit {
  readonly key: string;
  readonly kind: "tunnel" | "other" | "blocked";
  /** Names of its hops; the last one is the exit. Empty: blocked without a path, by choice or because no path is up. */
  readonly hops: readonly string[];
  readonly isOpen: boolean;
  readonly rate: number | null;
  readonly rttMs: number | null;
}

interface Known {
  readonly devices: readonly Pick<Postures["devices"][number], "device_id" | "device_name" | "posture" | "policy_id">[];
  readonly egress: readonly Pick<TunnelEgress, "policy_id" | "outcome" | "hops" | "tunnel_id">[];
  readonly tunnels: readonly Pick<Tunnel, "id" | "name" | "rtt_ms">[];
  /** Rates by tunnel. */
  readonly tunnelRates: ReadonlyMap<string, number | null>;
  /** By device. A device without traffic today has no entry, nor has one that is not measured. */
  readonly traffic: ReadonlyMap<string, DeviceTraffic> | undefined;
  /** Devices that the last leak check found leaking. */
  readonly leaking: ReadonlySet<string>;
  readonly maxRows: number;
}

export function pictureOf(known: Known): Picture {
  const exits = new Map<string, PictureExit>();
  const egress = new Map(known.egress.map((it) => [it.policy_id, it]));
  const rows = known.devices.map(({ device_id: id, device_name: name, posture, policy_id }): PictureRow => {
    const rate = totalRate(known.traffic?.get(id));
    const leaks = known.leaking.has(id);
    const row = { key: id, device: { id, name }, count: 1, isIdle: !rate, rate } as const;
    if (leaks || posture === "exposed") return { ...row, state: leaks ? "leaking" : "direct", exit: null };
    const exit = exitOf(policy_id === null ? undefined : egress.get(policy_id), posture === "protected", known);
    exits.set(exit.key, exit);
    return { ...row, state: posture, exit: exit.key };
  });
  const ordered = [...exits.values()].toSorted(
    (a, b) => order(a) - order(b) || (b.rate ?? 0) - (a.rate ?? 0) || a.key.localeCompare(b.key),
  );
  const rank = new Map<string | null, number>(ordered.map(({ key }, index) => [key, index]));
  const sorted = rows.toSorted(
    (a, b) =>
      (rank.get(a.exit) ?? exits.size) - (rank.get(b.exit) ?? exits.size) ||
      (b.rate ?? 0) - (a.rate ?? 0) ||
      (a.device?.name ?? "").localeCompare(b.device?.name ?? ""),
  );
  return { rows: atMost(sorted, known.maxRows), exits: ordered };
}

const order = ({ kind, isOpen }: PictureExit): number => (kind === "blocked" ? 2 : isOpen ? 0 : 1);

function exitOf(found: Known["egress"][number] | undefined, isOpen: boolean, known: Known): PictureExit {
  const hops = found?.hops ?? [];
  if (!isOpen && (hops.length === 0 || found?.outcome !== "block"))
    return { key: "blocked", kind: "blocked", hops: [], isOpen: false, rate: null, rttMs: null };
  const named = hops.map(({ tunnel_id, target }) => known.tunnels.find(({ id }) => id === tunnel_id)?.name ?? target);
  const names = found?.outcome === "split" ? [named.join(" + ")] : named;
  const tunnel = known.tunnels.find(({ id }) => id === (found?.tunnel_id ?? hops.at(-1)?.tunnel_id));
  return {
    key: JSON.stringify([isOpen, ...names]),
    kind: tunnel ? "tunnel" : "other",
    hops: names,
    isOpen,
    rate: isOpen && tunnel ? (known.tunnelRates.get(tunnel.id) ?? null) : null,
    rttMs: isOpen ? (tunnel?.rtt_ms ?? null) : null,
  };
}

/** Idle devices of an exit share a row if there are too many rows; after that, those with the least traffic do. */
function atMost(rows: readonly PictureRow[], maxRows: number): readonly PictureRow[] {
  if (rows.length <= maxRows) return rows;
  const idleTogether = together(rows, ({ isIdle }) => isIdle);
  if (idleTogether.length <= maxRows) return idleTogether;
  const shared = new Set(idleTogether.map(placeOf)).size;
  const byRate = idleTogether.filter(({ device }) => device).toSorted((a, b) => (b.rate ?? 0) - (a.rate ?? 0));
  const shown = new Set(byRate.slice(0, Math.max(0, maxRows - shared)).map(({ key }) => key));
  return together(rows, ({ key }) => !shown.has(key));
}

const placeOf = ({ exit, state }: PictureRow): string => `${state} ${exit}`;

/** Chosen rows of the same exit and state become one, at the position of the last; a single one stays as it is. */
function together(rows: readonly PictureRow[], isChosen: (row: PictureRow) => boolean): PictureRow[] {
  const chosen = Map.groupBy(rows.filter(isChosen), placeOf);
  const last = new Map([...chosen].map(([place, all]) => [place, all.at(-1)!.key]));
  return rows.flatMap((row): PictureRow[] => {
    const all = chosen.get(placeOf(row));
    if (!isChosen(row) || !all || all.length === 1) return [row];
    if (row.key !== last.get(placeOf(row))) return [];
    const measured = all.flatMap(({ rate }) => rate ?? []);
    return [
      {
        ...row,
        key: `together ${placeOf(row)}`,
        device: undefined,
        count: all.length,
        isIdle: all.every(({ isIdle }) => isIdle),
        rate: measured.length === 0 ? null : measured.reduce((sum, it) => sum + it, 0),
      },
    ];
  });
}
