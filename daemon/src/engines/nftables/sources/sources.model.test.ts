import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../../testing/seed.ts";
import {
  changed,
  elementsOff,
  type HeldSources,
  type ProtectedSources,
  protecting,
  rangeSets,
  releasing,
} from "./sources.model.ts";
import { renderSetChanges } from "./sources.render.ts";

const seed = announceSeed("protected sources");
const some = (...keys: string[]) => fc.subarray(keys);
const anySources: fc.Arbitrary<ProtectedSources> = fc.record({
  macs: some("02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:03"),
  exempt: some("02:00:00:00:00:04", "02:00:00:00:00:05"),
  v4: some('"lan0" . 10.0.0.0/24', '"lan0" . 10.0.1.7', '"lan1" . 0.0.0.0/0'),
  v6: some('"lan0" . fd00::/64', '"lan0" . fd00:1::7-fd00:1::9'),
});
const nothing: HeldSources = new Map();
const keys = (held: HeldSources, ...sets: readonly string[]) =>
  sets.flatMap((set) => [...(held.get(set) ?? [])].map((key) => key.replace(/^(lan\d)/, '"$1"')));
const inForce = (held: HeldSources): ProtectedSources => ({
  macs: keys(held, "protected_mac").toSorted(),
  exempt: keys(held, "exempt_mac").toSorted(),
  v4: keys(held, ...rangeSets.v4).toSorted(),
  v6: keys(held, ...rangeSets.v6).toSorted(),
});
const sorted = ({ macs, exempt, v4, v6 }: ProtectedSources): ProtectedSources => ({
  macs: macs.toSorted(),
  exempt: exempt.toSorted(),
  v4: v4.toSorted(),
  v6: v6.toSorted(),
});

test("senders are protected before steering changes, and released only after it has", () =>
  fc.assert(
    fc.property(anySources, anySources, (before, after) => {
      const start = settledOn(nothing, before);
      expect(inForce(start)).toEqual(sorted(before));
      const between = inForce(changed(start, protecting(after, start)));
      for (const set of ["macs", "v4", "v6"] as const)
        expect(between[set]).toEqual(expect.arrayContaining([...before[set], ...after[set]]));
      for (const mac of between.exempt)
        expect([before.exempt, after.exempt].every((all) => all.includes(mac))).toBe(true);
      expect(inForce(settledOn(start, after))).toEqual(sorted(after));
    }),
    { seed },
  ));

test("protected senders: the next daemon completes a partial change, and then changes nothing", () =>
  fc.assert(
    fc.property(fc.array(anySources, { minLength: 1, maxLength: 6 }), fc.array(fc.boolean()), (all, crashes) => {
      let held = nothing;
      for (const [place, wanted] of all.entries())
        held = crashes[place] === true ? changed(held, protecting(wanted, held)) : settledOn(held, wanted);
      const last = all.at(-1)!;
      held = settledOn(held, last);
      expect(inForce(held)).toEqual(sorted(last));
      expect([...protecting(last, held), ...releasing(last, held)]).toEqual([]);
    }),
    { seed },
  ));

test("protected senders: elements that another program removed or added are reported", () => {
  const wanted = { macs: ["02:00:00:00:00:01"], exempt: [], v4: ['"lan0" . 10.0.0.0/24'], v6: [] };
  const held: HeldSources = new Map([
    ["protected_mac", new Set(["02:00:00:00:00:09"])],
    ["protected4_a", new Set(["lan0 . 10.0.0.0/25"])],
  ]);
  expect(elementsOff(protecting(wanted, held), held)).toEqual([
    { set: "protected_mac", key: "02:00:00:00:00:01", isMissing: true },
    { set: "protected4_b", key: "lan0 . 10.0.0.0/24", isMissing: true },
  ]);
  const after = changed(held, protecting(wanted, held));
  expect(elementsOff(releasing(wanted, after), after)).toEqual([
    { set: "protected_mac", key: "02:00:00:00:00:09", isMissing: false },
    { set: "protected4_a", key: "lan0 . 10.0.0.0/25", isMissing: false },
  ]);
});

test("one transaction empties a set before it fills it", () => {
  expect(
    renderSetChanges("inet t", [
      { set: "a", isEmptied: true, removed: [], added: ['"lan0" . 10.0.0.1', '"lan0" . 10.0.0.2'] },
      { set: "b", removed: ["02:00:00:00:00:01"], added: [] },
    ]),
  ).toBe(`flush set inet t a
add element inet t a { "lan0" . 10.0.0.1, "lan0" . 10.0.0.2 }
delete element inet t b { 02:00:00:00:00:01 }
`);
});

function settledOn(held: HeldSources, wanted: ProtectedSources): HeldSources {
  const filled = changed(held, protecting(wanted, held));
  return changed(filled, releasing(wanted, filled));
}
