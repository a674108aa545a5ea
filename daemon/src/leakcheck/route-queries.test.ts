import { because } from "@portcullis/contract/reason";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { mayMatch } from "./audit.ts";
import type { KernelRule } from "./kernel.parse.ts";
import { queryRoutes, routeKeys } from "./route-queries.ts";
import type { Origin, Subject } from "./subjects.ts";

const mark = fc.constantFrom(0, 1, 2, 0x100, 0x101, 0x8000_0001);
const rule = fc
  .record({
    from: fc.constantFrom(null, "10.0.0.0/24", "10.0.0.3/32", "10.0.1.0/25"),
    iif: fc.constantFrom(null, "lan0", "lan1"),
    mark: fc.option(fc.record({ value: mark, mask: fc.constantFrom(0xff, 0xff00, 0xffff_ffff) }), { nil: null }),
  })
  .map((it): KernelRule => ({ ...it, family: 4, priority: 100, isForOwnPackets: false, isInverted: false, text: "" }));
const origin = fc.record({
  address: fc.constantFrom("10.0.0.2", "10.0.0.3", "10.0.1.5", "10.0.1.200"),
  lan: fc.constantFrom("lan0", "lan1"),
});

const withMark = ({ address, lan }: { address: string; lan: string }, value: number): Origin => ({
  family: 4,
  address,
  lan,
  marks: [value],
  posture: "protected",
  interfaces: ["t1"],
  egresses: [],
  policyId: null,
  exceptionId: null,
  isPaused: false,
  isFallback: false,
  reason: because("hops_all_up"),
});

test("route queries: packets that share a query match the same rules", () => {
  let shared = 0;
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), origin, mark, origin, mark, (rules, a, aMark, b, bMark) => {
      const keyOf = routeKeys(rules);
      const [first, second] = [withMark(a, aMark), withMark(b, bMark)];
      if (keyOf(first, aMark) !== keyOf(second, bMark)) return;
      if (first.address !== second.address || aMark !== bMark) shared += 1;
      for (const it of rules) expect(mayMatch(it, first)).toBe(mayMatch(it, second));
    }),
    { numRuns: 2000 },
  );
  expect(shared).toBeGreaterThan(0);
});

test("route queries: a thousand devices with different marks of one egress need one query, and one more without a mark", async () => {
  const queried: (readonly string[])[] = [];
  const system = {
    run: (_: string, args: readonly string[]) => {
      queried.push(args);
      return Promise.resolve('[{"dev":"t1"}]');
    },
  };
  const rules: KernelRule[] = [
    {
      family: 4,
      priority: 7000,
      from: null,
      iif: null,
      mark: { value: 1, mask: 0xff },
      isForOwnPackets: false,
      isInverted: false,
      text: "",
    },
  ];
  const subjects = Array.from({ length: 1000 }, (_, index): Subject => {
    const sender = { address: `10.0.${index >> 8}.${index & 255}`, lan: "lan0" };
    const origins = [withMark(sender, (index << 8) | 1)];
    return { id: String(index), name: "", mac: null, posture: "protected", origins };
  });
  const routes = await queryRoutes(system, () => 0, subjects, rules);
  expect(queried).toHaveLength(2);
  expect(routes.size).toBe(1000);
  for (const ofOrigin of routes.values())
    expect(ofOrigin.map(({ answer }) => answer.text)).toEqual(["dev t1", "dev t1"]);
});
