import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../testing/seed.ts";
import { openDatabase } from "./database.ts";
import { migrations } from "./migrations.ts";
import { openCollection } from "./collection.ts";

announceSeed("collection");

/** A database in memory whose staged devices have these ids. */
function devices(...ids: string[]) {
  const database = openDatabase(":memory:", migrations);
  for (const id of ids)
    database.run("INSERT INTO staged (kind, id, body, digest) VALUES ('device', ?, ?, '')", id, JSON.stringify({ id }));
  const collection = openCollection(database, "device");
  return { collection, [Symbol.dispose]: () => database.close() };
}

const ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
const id = fc.constantFrom(...ids);
const changes = fc.array(fc.record({ id, present: fc.boolean() }), { maxLength: 40 });

test("collection: after any changes a collection holds what a sorted map would", () =>
  fc.assert(
    fc.property(
      fc.uniqueArray(id),
      changes,
      fc.option(id, { nil: undefined }),
      fc.nat(10),
      (start, steps, after, n) => {
        using it = devices(...start);
        const map = new Map(start.map((one) => [one, { id: one }]));
        for (const step of steps) {
          it.collection.set(step.id, step.present ? { id: step.id } : undefined);
          if (step.present) map.set(step.id, { id: step.id });
          else map.delete(step.id);
        }
        const sorted = [...map.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
        expect(it.collection.all()).toEqual(sorted);
        expect(it.collection.count()).toBe(sorted.length);
        expect(ids.map((one) => it.collection.get(one))).toEqual(ids.map((one) => map.get(one)));
        expect(it.collection.following(after, n)).toEqual(
          sorted.filter((one) => after === undefined || one.id > after).slice(0, n),
        );
      },
    ),
  ));

test("collection: going on after an id that is gone misses nothing", () => {
  using it = devices("a", "c", "e");
  expect(it.collection.following("b", 10).map((one) => one.id)).toEqual(["c", "e"]);
  expect(it.collection.following("e", 10)).toEqual([]);
});

test("collection: what stands on a collection is frozen, down to the leaves", () => {
  using it = devices("a");
  it.collection.set("b", { id: "b", inner: { list: [1] } } as { id: string });
  for (const resource of it.collection.all()) expect(Object.isFrozen(resource)).toBe(true);
  const { inner } = it.collection.get("b") as unknown as { inner: { list: number[] } };
  expect(() => inner.list.push(2)).toThrow(TypeError);
});
