import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openDiscoveryStore } from "../daemon/src/ledger/discovery-store.ts";
import type { StoredCard } from "../daemon/src/monitors/sightings.ts";
import { databaseFiles } from "../daemon/src/system/database-files.ts";
import { temporaryFolder } from "./folder.ts";

/** The folder of a gateway that an earlier daemon left with these observed devices. */
export function folderWithObserved(cards: readonly StoredCard[]): ReturnType<typeof temporaryFolder> {
  const folder = temporaryFolder();
  const state = join(folder.path, "state");
  mkdirSync(state, { mode: 0o700 });
  const path = join(state, "discovery.db");
  const store = openDiscoveryStore({ path, warn: () => {}, ...databaseFiles(path) });
  store.write(
    cards.map((card) => ({ mac: card.mac, card: JSON.stringify(card) })),
    [],
  );
  store.close();
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
