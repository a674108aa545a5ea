import { expect, test } from "vitest";
import { openDatabase } from "./database.ts";
import { migrations } from "./migrations.ts";
import { type AuditSearch, openRecords } from "./records.ts";

/** Five entries, a minute apart: ids 1 to 5. */
function fiveEntries() {
  const database = openDatabase(":memory:", migrations);
  const clock = { minute: 0 };
  const records = openRecords(database, () => new Date(Date.UTC(2030, 0, 1, 0, clock.minute)));
  for (const [actor, action, resourceType, id] of [
    ["ada", "create_device", "device", "tv"],
    ["bob", "create_device", "device", "phone"],
    ["ada", "update_device", "device", "tv"],
    ["ada", "create_class", "class", "tv"],
    ["bob", "delete_device", "device", "phone"],
  ] as const) {
    records.audit({ actor, action, resourceType }, id, { minute: clock.minute });
    clock.minute += 1;
  }
  return { records, [Symbol.dispose]: () => database.close() };
}

const minute = (number: number) => new Date(Date.UTC(2030, 0, 1, 0, number)).toISOString();

test.each<[string, Omit<AuditSearch, "limit">, number[]]>([
  ["nothing", {}, [5, 4, 3, 2, 1]],
  ["an actor", { actor: "bob" }, [5, 2]],
  ["an action", { action: "create_device" }, [2, 1]],
  ["a type", { resource_type: "class" }, [4]],
  ["a resource", { resource_id: "tv" }, [4, 3, 1]],
  ["a type and a resource", { resource_type: "device", resource_id: "tv" }, [3, 1]],
  ["a time on, itself included", { since: minute(2) }, [5, 4, 3]],
  ["a time, itself excluded", { until: minute(2) }, [2, 1]],
  ["a span", { since: minute(1), until: minute(3) }, [3, 2]],
  ["an entry", { before: 3 }, [2, 1]],
  ["no match", { actor: "bob", action: "update_device" }, []],
])("records: looking for %s finds those entries, newest first", (_, search, ids) => {
  using it = fiveEntries();
  expect(it.records.searchAudit({ ...search, limit: 10 }).map(({ id }) => id)).toEqual(ids);
});

test("records: an entry comes back as it went in", () => {
  using it = fiveEntries();
  expect(it.records.searchAudit({ limit: 1 })).toEqual([
    {
      id: 5,
      timestamp: minute(4),
      actor: "bob",
      action: "delete_device",
      resource_type: "device",
      resource_id: "phone",
      details: { minute: 4 },
    },
  ]);
});

test("records: pruning leaves the newest, and ids are not given twice", () => {
  using it = fiveEntries();
  expect(it.records.pruneAudit(2)).toBe(3);
  expect(it.records.pruneAudit(2)).toBe(0);
  expect(it.records.searchAudit({ limit: 10 }).map(({ id }) => id)).toEqual([5, 4]);
  expect(it.records.audit({ actor: "ada", action: "x", resourceType: "y" }, "z", {})).toBe(6);
});
