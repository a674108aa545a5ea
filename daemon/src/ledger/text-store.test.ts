import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { databaseFiles } from "../system/database-files.ts";
import { openDiscoveryStore } from "./discovery-store.ts";

function storeIn(folder: string) {
  const path = join(folder, "discovery.db");
  const warnings: string[] = [];
  const store = openDiscoveryStore({ path, warn: (message) => void warnings.push(message), ...databaseFiles(path) });
  return { ...store, path, warnings };
}

test("discovery store: cards outlive the daemon, the newest version of each", () => {
  using folder = temporaryFolder();
  const first = storeIn(folder.path);
  first.write(
    ["a", "b", "c"].map((mac) => ({ mac, card: `${mac} 1` })),
    [],
  );
  first.write([{ mac: "b", card: "b 2" }], ["c"]);
  first.close();
  const next = storeIn(folder.path);
  expect(next.load()).toEqual(["a 1", "b 2"]);
  next.close();
});

test("discovery store: a corrupt file is recreated", () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "discovery.db"), "no database".repeat(1000));
  const store = storeIn(folder.path);
  expect(store.warnings).toHaveLength(1);
  store.write([{ mac: "a", card: "a 1" }], []);
  expect(store.load()).toEqual(["a 1"]);
  store.close();
});
