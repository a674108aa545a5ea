import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { databaseFiles } from "../system/database-files.ts";
import { openTextStore } from "./text-store.ts";

function storeIn(folder: string) {
  const path = join(folder, "rows.db");
  const warnings: string[] = [];
  const store = openTextStore({
    path,
    contents: "The rows",
    warn: (message) => void warnings.push(message),
    ...databaseFiles(path),
  });
  return { ...store, path, warnings };
}

test("text store: rows outlive the daemon, the newest version of each", () => {
  using folder = temporaryFolder();
  const first = storeIn(folder.path);
  first.write(
    ["a", "b", "c"].map((key) => ({ key, text: `${key} 1` })),
    [],
  );
  first.write([{ key: "b", text: "b 2" }], ["c"]);
  first.close();
  const next = storeIn(folder.path);
  expect(next.load()).toEqual(["a 1", "b 2"]);
  next.close();
});

test("text store: a corrupt file is recreated", () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "rows.db"), "no database".repeat(1000));
  const store = storeIn(folder.path);
  expect(store.warnings).toHaveLength(1);
  store.write([{ key: "a", text: "a 1" }], []);
  expect(store.load()).toEqual(["a 1"]);
  store.close();
});
