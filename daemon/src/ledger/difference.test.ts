import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../testing/seed.ts";
import { difference } from "./difference.ts";

announceSeed("difference");

const resource = fc
  .dictionary(fc.constantFrom("name", "level", "tags"), fc.constantFrom("a", "b", 1, null, ["x"], ["y"]))
  .map((fields) => ({ id: "1", ...fields }) as { id: string; name?: string });
const side = fc.option(resource, { nil: undefined });

test("differences: something equals itself, whatever it is", () =>
  fc.assert(
    fc.property(side, (it) => {
      expect(difference("thing", "1", it, it && { ...it })).toBeUndefined();
    }),
  ));

test("differences: the reverse comparison swaps added and removed, and each field", () =>
  fc.assert(
    fc.property(side, side, (a, b) => {
      const there = difference("thing", "1", a, b);
      const back = difference("thing", "1", b, a);
      const turned = { added: "removed", removed: "added", changed: "changed" } as const;
      expect(back?.change).toBe(there && turned[there.change]);
      expect(back?.fields).toEqual(
        there?.fields.map(({ field, before, after }) => ({ field, before: after, after: before })),
      );
    }),
  ));

test("differences: only differing fields are listed, in order, without the id", () =>
  expect(
    difference("thing", "1", { id: "1", b: 1, a: 1, same: 1 } as never, { id: "1", b: 2, a: 2, same: 1 } as never),
  ).toEqual({
    kind: "thing",
    id: "1",
    name: "1",
    change: "changed",
    fields: [
      { field: "a", before: 1, after: 2 },
      { field: "b", before: 1, after: 2 },
    ],
  }));

test("differences: a resource goes by its newest name, and by its id when it has none", () => {
  const name = (before?: { id: string }, after?: { id: string }) => difference("thing", "1", before, after)?.name;
  expect(name({ id: "1", name: "old" } as never, { id: "1", name: "new" } as never)).toBe("new");
  expect(name({ id: "1", name: "old" } as never, undefined)).toBe("old");
  expect(name(undefined, { id: "1" })).toBe("1");
  expect(name(undefined, { id: "1", name: null } as never)).toBe("1");
  expect(name(undefined, { id: "1", name: "", domain: "ads.example" } as never)).toBe("ads.example");
  expect(name({ id: "1", domain: "ads.example" } as never, undefined)).toBe("ads.example");
});
