import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { openDatabase } from "../../ledger/database.ts";
import { migrations } from "../../ledger/migrations.ts";
import { authStore } from "./auth.store.ts";

test("auth store: sessions of before there were sessions of keys are the admin's, and go on", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "ledger.db");
  const place = migrations.findIndex((sql) => sql.includes("ADD COLUMN key_id"));
  const before = openDatabase(path, migrations.slice(0, place));
  before.run("INSERT INTO session VALUES ('1', 'ada', '2026-03-01', '2026-03-02', '127.0.0.1')");
  before.close();
  const database = openDatabase(path, migrations);
  expect(authStore(database).sessions()).toEqual([
    {
      id: "1",
      username: "ada",
      created_at: "2026-03-01",
      expires_at: "2026-03-02",
      address: "127.0.0.1",
      key_id: null,
    },
  ]);
  database.close();
});

test("auth store: of one key's sessions the newest are kept, and others' are not counted", () => {
  const database = openDatabase(":memory:", migrations);
  const store = authStore(database);
  const add = (id: string, key_id: string | null) =>
    store.addSession({ id, username: "", created_at: id, expires_at: "", address: "", key_id });
  for (const id of ["1", "4", "7"]) add(id, null);
  for (const id of ["2", "5", "8"]) add(id, "a key");
  for (const id of ["3", "6", "9"]) add(id, "another");
  const ids = () => store.sessions().map(({ id }) => id);
  store.removeOldSessions("a key", 1);
  expect(ids()).toEqual(["1", "3", "4", "6", "7", "8", "9"]);
  store.removeOldSessions(null, 2);
  expect(ids()).toEqual(["3", "4", "6", "7", "8", "9"]);
  store.removeOldSessions("another", 3);
  expect([store.removeSessionsOfKey("another"), ids()]).toEqual([3, ["4", "7", "8"]]);
  database.close();
});
