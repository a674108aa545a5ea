import { Problem } from "@portcullis/contract/problem";
import { expect, test } from "vitest";
import { openDatabase } from "../ledger/database.ts";
import { migrations } from "../ledger/migrations.ts";
import { openCollection } from "../ledger/collection.ts";
import {
  decodeNumber,
  encodeCursor,
  found,
  given,
  newId,
  pageOf,
  refuseFull,
  refuseTaken,
  resolve,
  resolveOptional,
} from "./resources.ts";

/** A collection of things with these names; their ids are handed back in order. */
function collectionOf(...names: string[]) {
  const database = openDatabase(":memory:", migrations);
  const collection = openCollection(database, "thing");
  const ids = names.map(() => newId()).toSorted();
  for (const [place, name] of names.entries()) collection.set(ids[place]!, { id: ids[place]!, name } as { id: string });
  return { collection, ids, [Symbol.dispose]: () => database.close() };
}

/** What was thrown, as code and details. */
function refusalOf(work: () => unknown): { code: string; details: unknown } {
  try {
    work();
  } catch (error) {
    const { code, details } = error as Problem;
    return { code, details };
  }
  throw new Error("Nothing was refused");
}

test("resources: ids are UUIDs of version 7 and grow from one millisecond to the next", async () => {
  const first = newId();
  const at = Date.now();
  await expect.poll(() => Date.now()).toBeGreaterThan(at);
  const second = newId();
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(second > first).toBe(true);
});

test("resources: something is found by its id, or the refusal names it", () => {
  using it = collectionOf("a");
  expect(found(it.collection, "thing", it.ids[0]!)).toEqual({ id: it.ids[0], name: "a" });
  expect(refusalOf(() => found(it.collection, "thing", "x"))).toEqual({ code: "not_found", details: { id: "x" } });
});

test("resources: a page ends where the next one begins, with and without a filter", () => {
  using it = collectionOf("a", "b", "c");
  for (const keep of [undefined, () => true]) {
    const first = pageOf(it.collection, { limit: 2 }, keep);
    expect([first.items.map(({ id }) => id), first.total]).toEqual([it.ids.slice(0, 2), 3]);
    const second = pageOf(it.collection, { limit: 2, cursor: first.next }, keep);
    expect([second.items.map(({ id }) => id), second.total, second.next]).toEqual([it.ids.slice(2), 3, undefined]);
    expect(pageOf(it.collection, { limit: 3 }, keep).next).toBeUndefined();
  }
});

test("resources: a cursor that is not a valid cursor is refused rather than taken for the end of the list", () => {
  using it = collectionOf("a");
  const details = { fields: [{ field: "query.cursor", problem: "is not a valid cursor" }] };
  for (const cursor of ["A", "zzzz", encodeCursor(""), encodeCursor("17"), encodeCursor("x".repeat(36))])
    expect(refusalOf(() => pageOf(it.collection, { cursor }))).toEqual({ code: "invalid_request", details });
  for (const cursor of ["A", "zzzz", encodeCursor(""), encodeCursor("1e3"), encodeCursor(newId())])
    expect(refusalOf(() => decodeNumber(cursor))).toEqual({ code: "invalid_request", details });
  expect(pageOf(it.collection, { cursor: encodeCursor(newId()) }).total).toBe(1);
  expect(decodeNumber(encodeCursor("17"))).toBe(17);
});

test("resources: a name conflicts with other resources, not with its own, and null never", () => {
  using it = collectionOf("a");
  const named = it.collection as never as Parameters<typeof refuseTaken<{ id: string; name: string | null }>>[0];
  expect(refusalOf(() => refuseTaken(named, "thing", "name", "a"))).toEqual({
    code: "conflict",
    details: { field: "name", existing_id: it.ids[0] },
  });
  expect(() => refuseTaken(named, "thing", "name", "a", it.ids[0])).not.toThrow();
  expect(() => refuseTaken(named, "thing", "name", "b")).not.toThrow();
  it.collection.set("n", { id: "n", name: null } as never);
  expect(() => refuseTaken(named, "thing", "name", null)).not.toThrow();
});

test("resources: a collection takes a hundred thousand and not one more", () => {
  using it = collectionOf();
  expect(() => refuseFull({ ...it.collection, count: () => 99_999 }, "things")).not.toThrow();
  expect(refusalOf(() => refuseFull({ ...it.collection, count: () => 100_000 }, "things"))).toEqual({
    code: "limit_reached",
    details: { limit: 100_000, of: "things" },
  });
});

test("resources: a word means an id first, then a name; what it cannot mean is refused by its field", () => {
  using it = collectionOf("a", "b");
  const [first, second] = it.ids as [string, string];
  expect(resolve(it.collection, "thing_id", first)).toBe(first);
  expect(resolve(it.collection, "thing_id", "b")).toBe(second);
  it.collection.set("z", { id: "z", name: first } as never);
  expect(resolve(it.collection, "thing_id", first)).toBe(first);
  expect(refusalOf(() => resolve(it.collection, "thing_id", "c"))).toEqual({
    code: "invalid_request",
    details: {
      fields: [
        {
          field: "body.thing_id",
          problem: expect.stringContaining('does not exist: "c"'),
        },
      ],
    },
  });
  expect([null, undefined].map((word) => resolveOptional(it.collection, "thing_id", word))).toEqual([null, undefined]);
  expect(resolveOptional(it.collection, "thing_id", "a")).toBe(first);
});

test("resources: what a request left out is left out, and null is something it said", () =>
  expect(Object.entries(given({ a: 1, b: undefined, c: null, d: "" }))).toEqual([
    ["a", 1],
    ["c", null],
    ["d", ""],
  ]));
