import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { type Database, openDatabase } from "./database.ts";

const first = "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT";
const second = "CREATE TABLE other (id INTEGER PRIMARY KEY) STRICT";

/** A database in a folder of its own. Whatever is opened last is closed at the end. */
function place() {
  const folder = temporaryFolder();
  const path = join(folder.path, "ledger.db");
  let database: Database | undefined;
  const open = (...migrations: string[]): Database => {
    database = openDatabase(path, migrations);
    return database;
  };
  const close = () => {
    database?.close();
    database = undefined;
  };
  const dispose = () => {
    close();
    folder[Symbol.dispose]();
  };
  return { path, open, close, [Symbol.dispose]: dispose };
}

test("database: migrations run once, in order, and a later start runs only the new ones", () => {
  using it = place();
  it.open(first).run("INSERT INTO note (text) VALUES (?)", "kept");
  it.close();
  const database = it.open(first, second);
  expect(database.all("SELECT text FROM note")).toEqual([{ text: "kept" }]);
  expect(database.all("SELECT * FROM other")).toEqual([]);
});

test("database: a migration that was edited after it ran is refused", () => {
  using it = place();
  it.open(first, second);
  it.close();
  expect(() => it.open(`${first} -- tidier`, second)).toThrow("Migration 1 was edited after it was applied");
  expect(() => it.open(first, `${second} -- tidier`)).toThrow("Migration 2 was edited after it was applied");
  expect(it.open(first, second).all("SELECT number FROM migration")).toHaveLength(2);
});

test("database: a state written by a newer Portcullis is refused", () => {
  using it = place();
  it.open(first, second);
  it.close();
  expect(() => it.open(first)).toThrow("written by a newer Portcullis (schema 2, this version supports 1)");
});

test("database: a migration that fails leaves nothing of itself behind", () => {
  using it = place();
  expect(() => it.open(first, `${second}; CREATE TABLE note (id INTEGER) STRICT`)).toThrow("already exists");
  const database = it.open(first);
  expect(database.get("SELECT name FROM sqlite_schema WHERE name = 'other'")).toBeUndefined();
});

test("database: a second instance on the same state is refused with the reason", async () => {
  using it = place();
  const database = it.open(first);
  const refusal = `Another instance of Portcullis has ${it.path} open`;
  expect(() => openDatabase(it.path, [first])).toThrow(refusal);
  expect(await openElsewhere(it.path)).toContain(refusal);
  database.run("INSERT INTO note (text) VALUES (?)", "undisturbed");

  it.close();
  expect(await openElsewhere(it.path)).toBe("opened");
});

/** Another process tries, as a second daemon would. */
async function openElsewhere(path: string): Promise<string> {
  const module = JSON.stringify(join(import.meta.dirname, "database.ts"));
  const attempt = `
    import { openDatabase } from ${module};
    try { openDatabase(${JSON.stringify(path)}, [${JSON.stringify(first)}]).close(); process.stdout.write("opened"); }
    catch (error) { process.stdout.write(error.message); }`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module-typescript", "--eval", attempt]);
  return stdout;
}

test("database: a file that is no database says so", () => {
  using it = place();
  writeFileSync(it.path, "Dear diary, ".repeat(100));
  expect(() => it.open(first)).toThrow("file is not a database");
});

test.each([
  ["an object", { text: "x" }],
  ["an array", ["x"]],
  ["a date", new Date(0)],
])("database: %s cannot be bound to a statement", (_, value) => {
  using it = place();
  const database = it.open(first);
  const insert = (bound: unknown) => database.run("INSERT INTO note (text) VALUES (?)", bound as string);
  expect(() => insert(value)).toThrow("Objects cannot be bound");
  expect(insert("x")).toBe(1);
  expect(database.all("SELECT text FROM note")).toEqual([{ text: "x" }]);
});

test("database: a transaction that throws leaves nothing, and the next one works", () => {
  using it = place();
  const database = it.open(first);
  const write = (text: string) => database.run("INSERT INTO note (text) VALUES (?)", text);
  expect(() =>
    database.transaction(() => {
      write("half");
      throw new Error("enough");
    }),
  ).toThrow("enough");
  expect(database.transaction(() => write("whole"))).toBe(1);
  expect(database.all("SELECT text FROM note")).toEqual([{ text: "whole" }]);
});

test("database: a transaction that would wait is refused, and nothing of it stays", () => {
  using it = place();
  const database = it.open(first);
  expect(() =>
    database.transaction(async () => {
      database.run("INSERT INTO note (text) VALUES ('half')");
    }),
  ).toThrow("must be synchronous");
  expect(database.all("SELECT * FROM note")).toEqual([]);
});

test("database: a transaction inside a transaction is refused, and the outer one goes on", () => {
  using it = place();
  const database = it.open(first);
  const write = (text: string) => database.run("INSERT INTO note (text) VALUES (?)", text);
  database.transaction(() => {
    write("outer");
    expect(() => database.transaction(() => write("inner"))).toThrow("within a transaction");
  });
  expect(database.all("SELECT text FROM note")).toEqual([{ text: "outer" }]);
});

test("database: what was deleted is overwritten on disk, and a commit is on disk before it is answered", () => {
  using it = place();
  const database = it.open(first);
  const pragma = (name: string) => Object.values(database.get(`PRAGMA ${name}`)!)[0];
  expect(["journal_mode", "synchronous", "secure_delete", "foreign_keys", "locking_mode"].map(pragma)).toEqual([
    "wal",
    2,
    1,
    1,
    "exclusive",
  ]);
});
