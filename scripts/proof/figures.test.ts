import { expect, test } from "vitest";
import { aggregate, isMissed, readFigures, withHistory } from "./figures.ts";

const cost = (value: number) => ({ name: "cost", value, unit: "s", most: 2 });
const work = (value: number) => ({ name: "work", value, unit: "×", least: 0.9 });

test("figures: of several with one name the worst is kept, and how many there were", () => {
  expect(
    aggregate([cost(1), work(0.95), cost(3), cost(2), work(0.9), { name: "plain", value: 1 / 3, unit: "" }]),
  ).toEqual([
    { ...cost(3), count: 3 },
    { ...work(0.9), count: 2 },
    { name: "plain", value: 0.3333, unit: "" },
  ]);
});

test("figures: counts stay exact, and unknown fields are left out", () => {
  const figure = { name: "packets", value: 239_418, unit: "", note: "all", other: 1 };
  expect(aggregate([figure])).toEqual([{ name: "packets", value: 239_418, unit: "", note: "all" }]);
});

test("figures: of too many, those closest to their targets stay, in their order", () => {
  const plain = Array.from({ length: 100 }, (_, index) => ({ name: `plain ${index}`, value: 1, unit: "" }));
  const kept = aggregate([...plain, cost(3), work(0.5), { name: "leaked", value: 0, unit: "", most: 0 }]);
  expect(kept).toHaveLength(60);
  expect(kept.map(({ name }) => name).slice(-4)).toEqual(["plain 56", "cost", "work", "leaked"]);
});

test("figures: a target is missed beyond it, not at it", () => {
  expect([cost(2), cost(2.01), work(0.9), work(0.89), { name: "", value: 9, unit: "" }].map(isMissed)).toEqual([
    false,
    true,
    false,
    true,
    false,
  ]);
});

test("figures: lines written before a kill are read, an incomplete one is not", () => {
  expect(readFigures(`${JSON.stringify(cost(1))}\n{"name":"co`)).toEqual([cost(1)]);
});

const at = { date: "2026-01-02T03:04Z", commit: "abc" };
const history = (name: string, ...values: number[]) => ({ [name]: values.map((value) => ({ value, ...at })) });

test("figures: a value more than 10 percent worse than the median of the earlier ones is a regression", () => {
  const isRegression = (figure: ReturnType<typeof cost> | ReturnType<typeof work>, ...values: number[]) =>
    withHistory([figure], history(figure.name, ...values), at).figures[0]!.regression === true;
  expect(isRegression(cost(1.09), 1, 1, 9)).toBe(false);
  expect(isRegression(cost(1.11), 1, 1, 9)).toBe(true);
  expect(isRegression(cost(1.6), 1, 2)).toBe(false);
  expect(isRegression(cost(0.1), 1)).toBe(false);
  expect(isRegression(work(0.92), 1)).toBe(false);
  expect(isRegression(work(0.9), 1)).toBe(true);
  expect(isRegression(work(2), 1)).toBe(false);
  expect(isRegression(cost(100))).toBe(false);
});

test("figures: the last ten values are kept, also of figures that were not measured this time", () => {
  const earlier = { ...history("cost", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), ...history("gone", 7) };
  const { history: next } = withHistory([cost(11), work(1)], earlier, { date: "now", commit: "def" });
  expect(next["cost"]!.map(({ value }) => value)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(next["cost"]!.at(-1)).toEqual({ value: 11, date: "now", commit: "def" });
  expect([next["gone"], next["work"]]).toEqual([earlier["gone"], [{ value: 1, date: "now", commit: "def" }]]);
});
