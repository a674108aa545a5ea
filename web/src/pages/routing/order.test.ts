import { sourceTypes } from "@portcullis/contract/subsystems/routing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inOrder, type Ordered } from "../../components/policies/order.ts";
import { moved, rewrites } from "./order.ts";

const policies = (max: number, highest = 1_000_000) =>
  fc
    .array(
      fc.record({ priority: fc.integer({ min: 0, max: highest }), source_type: fc.constantFrom(...sourceTypes) }),
      {
        maxLength: max,
      },
    )
    .map((all) => all.map((it, index): Ordered => ({ ...it, id: `p${String(index).padStart(4, "0")}` })));

const written = (wanted: readonly Ordered[], mover?: string): Ordered[] => {
  const next = new Map(rewrites(wanted, mover).map(({ id, priority }) => [id, priority]));
  return wanted.map((it) => ({ ...it, priority: next.get(it.id) ?? it.priority }));
};
const ids = (all: readonly Ordered[]) => all.map(({ id }) => id);

test("policy order: after a reorder, policies are evaluated in the requested order", () => {
  fc.assert(
    fc.property(
      fc
        .oneof(policies(40), policies(40, 5), policies(40, 60))
        .chain((all) => fc.shuffledSubarray(all, { minLength: all.length })),
      (wanted) => {
        const after = written(wanted);
        expect(ids(inOrder(after))).toEqual(ids(wanted));
        expect(
          after.every(({ priority }) => Number.isInteger(priority) && priority >= 0 && priority <= 1_000_000),
        ).toBe(true);
      },
    ),
  );
});

test("policy order: the number of writes is minimal", () => {
  fc.assert(
    fc.property(
      policies(7, 12).chain((all) => fc.shuffledSubarray(all, { minLength: all.length })),
      (wanted) => {
        expect(rewrites(wanted)).toHaveLength(fewest(wanted));
      },
    ),
  );
});

test("policy order: moving one policy between free priorities writes that one only", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.nat(), fc.nat(), (count, from, to) => {
      const all = Array.from({ length: count }, (_, index): Ordered => {
        return { id: `p${index}`, priority: (index + 1) * 10, source_type: "device" };
      });
      const id = `p${from % count}`;
      const wanted = moved(all, id, to % count);
      expect(rewrites(wanted, id).map((it) => it.id)).toEqual(ids(wanted).join() === ids(all).join() ? [] : [id]);
    }),
  );
});

test("policy order: a policy moved to the end leaves a gap behind its neighbour", () => {
  const all: Ordered[] = [
    { id: "a", priority: 10, source_type: "all" },
    { id: "b", priority: 20, source_type: "all" },
  ];
  expect(rewrites(moved(all, "a", 1), "a")).toEqual([{ id: "a", priority: 30 }]);
  expect(rewrites(moved(all, "b", 0), "b")).toEqual([{ id: "b", priority: 4 }]);
});

test("policy order: among equal priorities the narrower source comes first, then the smaller id", () => {
  const all: Ordered[] = [
    { id: "z", priority: 5, source_type: "all" },
    { id: "b", priority: 5, source_type: "device" },
    { id: "a", priority: 5, source_type: "device" },
    { id: "c", priority: 4, source_type: "all" },
  ];
  expect(ids(inOrder(all))).toEqual(["c", "a", "b", "z"]);
});

/** Tries every set of policies that could keep their priorities. */
function fewest(wanted: readonly Ordered[]): number {
  let best = wanted.length;
  for (let set = 0; set < 2 ** wanted.length; set += 1) {
    const kept = wanted.map((_, index) => index).filter((index) => (set >> index) & 1);
    if (wanted.length - kept.length < best && isPossible(wanted, kept)) best = wanted.length - kept.length;
  }
  return best;
}

function isPossible(wanted: readonly Ordered[], kept: readonly number[]): boolean {
  const bounds = [-1, ...kept, wanted.length];
  return bounds.slice(1).every((end, number) => {
    const begin = bounds[number]!;
    const between = end - begin - 1;
    const [low, high] = [wanted[begin]?.priority ?? -1, wanted[end]?.priority ?? 1_000_001];
    if (between > 0) return high - low - 1 >= between;
    const [a, b] = [wanted[begin], wanted[end]];
    return a === undefined || b === undefined || inOrder([b, a])[0] === a;
  });
}
