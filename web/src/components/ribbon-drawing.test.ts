import fc from "fast-check";
import { expect, test } from "vitest";
import { type DrawnHop, drawingOf } from "./ribbon-drawing.ts";

const [up, down, uplink]: readonly DrawnHop[] = [
  { state: "up" },
  { state: "down" },
  { state: "unknown", isInterface: true },
];

test("ribbon: a direct path is dotted and has no gate, also through an interface that a policy names", () => {
  for (const hops of [[], [uplink!]])
    expect(drawingOf(hops, "direct")).toEqual({
      hops: hops.map(() => ({ line: "dotted", beyond: false })),
      last: { line: "dotted" },
      arrives: true,
      bypass: undefined,
    });
  // Control: through a tunnel that is up, the gate is raised.
  expect(drawingOf([up!], "protected").hops).toEqual([{ line: "open", gate: "protected", beyond: false }]);
});

test("ribbon: a fallback and a leak pass the hop instead of going through it", () => {
  expect(drawingOf([down!], "direct")).toMatchObject({ bypass: "dotted", arrives: true, hops: [{ line: "broken" }] });
  expect(drawingOf([down!], "leaking")).toMatchObject({ bypass: "leaking", hops: [{ line: "broken" }] });
  // A leak beside a tunnel that is up does not go through it.
  expect(drawingOf([up!], "leaking")).toMatchObject({ bypass: "leaking", hops: [{ line: "broken" }] });
  expect(drawingOf([], "leaking")).toMatchObject({ bypass: undefined, last: { line: "leaking" } });
});

test("ribbon: a blocked path ends at the hop that is down, and no gate follows", () => {
  expect(drawingOf([up!, down!, up!], "blocked")).toEqual({
    hops: [
      { line: "open", gate: "protected", beyond: false },
      { line: "broken", gate: "blocked", beyond: false },
      { line: "broken", beyond: true },
    ],
    last: { line: "broken" },
    arrives: false,
    bypass: undefined,
  });
  expect(drawingOf([], "blocked").last).toEqual({ line: "broken", gate: "blocked" });
});

test("ribbon: no raised gate on a path in unknown state, and none before a hop that is down", () => {
  const hop = fc.constantFrom(up!, down!, uplink!);
  const state = fc.constantFrom("protected", "blocked", "direct", "leaking", "unknown");
  const isWrong = (hops: readonly DrawnHop[], of: Parameters<typeof drawingOf>[1]): boolean => {
    const { hops: drawn, last } = drawingOf(hops, of);
    const isRaised = [...drawn, last].some(({ gate, line }) => gate === "protected" || line === "open");
    const isPassable = of === "protected" || of === "blocked";
    return (
      (isRaised && !isPassable) || drawn.some(({ gate }, at) => gate === "protected" && hops[at]!.state === "down")
    );
  };
  expect(fc.check(fc.property(fc.array(hop, { maxLength: 4 }), state, (hops, of) => !isWrong(hops, of))).failed).toBe(
    false,
  );
});
