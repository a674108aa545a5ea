import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openTextStore } from "../daemon/src/ledger/text-store.ts";
import type { StoredCard } from "../daemon/src/monitors/sightings.ts";
import type { StoredAlert } from "../daemon/src/subsystems/alerts/alerts.machine.ts";
import { databaseFiles } from "../daemon/src/system/database-files.ts";
import { temporaryFolder } from "./folder.ts";

interface EarlierState {
  readonly observed?: readonly StoredCard[];
  readonly alerts?: readonly StoredAlert[];
}

/** The folder of a gateway that an earlier daemon left with observed devices and alerts. */
export function folderWith({ observed = [], alerts = [] }: EarlierState): ReturnType<typeof temporaryFolder> {
  const folder = temporaryFolder();
  const state = join(folder.path, "state");
  mkdirSync(state, { mode: 0o700 });
  const store = (file: string, contents: string, rows: readonly { readonly key: string; readonly text: string }[]) => {
    const path = join(state, file);
    const opened = openTextStore({ path, contents, warn: () => {}, ...databaseFiles(path) });
    opened.write(rows, []);
    opened.close();
  };
  store(
    "discovery.db",
    "The observed devices",
    observed.map((it) => ({ key: it.mac, text: JSON.stringify(it) })),
  );
  store(
    "alerts.db",
    "The alerts",
    alerts.map((it) => ({ key: it.id, text: JSON.stringify(it) })),
  );
  return folder;
}

/** A device that was seen a minute before `nowMs` at 10.0.0.`number`. */
export const observedAt = (nowMs: number, number: number, mac: string, hostname?: string): StoredCard => ({
  number,
  mac,
  interface: "lan0",
  addresses: [{ address: `10.0.0.${number}`, seenMs: nowMs - 60_000 }],
  facts: hostname ? [{ field: "hostname", value: hostname, source: "dhcp", seenMs: nowMs - 120_000 }] : [],
  firstMs: nowMs - 3_600_000,
  lastMs: nowMs - 60_000,
  isAnnounced: true,
  wasOnline: true,
});

export const alertId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** A warning of the reconciler, raised a minute before `nowMs`. */
export const alertAt = (nowMs: number, number: number, reason: StoredAlert["reason"]): StoredAlert => ({
  number,
  id: alertId(number),
  rule: "drift-detected",
  key: String(number),
  severity: "warning",
  resource: null,
  reason,
  count: 1,
  raisedMs: nowMs - 60_000,
  lastMs: nowMs - 60_000,
  acknowledged: null,
  resolved: null,
});
