import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { allocate, previewAllocation } from "./allocations.ts";
import { openDatabase } from "./database.ts";
import { migrations } from "./migrations.ts";

const pool = { kind: "egress", first: 2, last: 4 };

test("allocations: a name keeps its number, also across a restart, and numbers are not shared", () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/ledger.db`;
  const first = openDatabase(path, migrations);
  expect([...allocate(first, pool, ["a", "b"])]).toEqual([
    ["a", 2],
    ["b", 3],
  ]);
  first.close();
  const second = openDatabase(path, migrations);
  expect(Object.fromEntries(allocate(second, pool, ["c", "b"]))).toEqual({ a: 2, b: 3, c: 4 });
  expect(Object.fromEntries(allocate(second, { ...pool, kind: "plan" }, ["a"]))).toEqual({ a: 2 });
  second.close();
});

test("allocations: an exhausted pool reuses the numbers of unused names, and fails without any", () => {
  const database = openDatabase(":memory:", migrations);
  allocate(database, pool, ["a", "b", "c"]);
  expect(Object.fromEntries(allocate(database, pool, ["b", "d"]))).toEqual({ b: 3, d: 2 });
  expect(Object.fromEntries(previewAllocation(database, pool, ["e", "d", "f"]))).toEqual({ d: 2, e: 4, f: 3 });
  expect(Object.fromEntries(previewAllocation(database, pool, ["b", "d"]))).toEqual({ b: 3, d: 2 }); // Looking gave nothing away.
  expect(() => allocate(database, pool, ["w", "x", "y", "z"])).toThrow("numbers for egress is exhausted");
  database.close();
});
