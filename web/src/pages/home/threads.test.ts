import { expect, test } from "vitest";
import type { Picture } from "./picture.ts";
import { lanePx, threadsOf } from "./threads.ts";

const row = (key: string, rate: number | null, more: Partial<Picture["rows"][number]> = {}) => ({
  key,
  device: { id: key, name: key },
  count: 1,
  isIdle: !rate,
  rate,
  state: "protected" as const,
  exit: "ams",
  ...more,
});
const exit = (key: string, more: Partial<Picture["exits"][number]> = {}) => ({
  key,
  kind: "tunnel" as const,
  hops: [key],
  isOpen: true,
  rate: 1,
  rttMs: 1,
  ...more,
});
const size = { width: 600, height: 448 };
const end = (d: string): number => Number(/H([\d.]+)$/.exec(d)![1]);

test("threads: those of an open gate reach the exit, those of a closed one end at the gate", () => {
  const { threads, gates, dead } = threadsOf(
    {
      rows: [row("tv", 3e6), row("phone", null, { state: "blocked", exit: "osl" })],
      exits: [exit("ams"), exit("osl", { isOpen: false, rate: null })],
    },
    size,
  );
  expect(threads.map(({ key }) => key)).toEqual(["tv", "phone"]);
  expect(end(threads[0]!.d)).toBe(596);
  expect(end(threads[1]!.d)).toBeLessThan(600 * 0.56);
  expect(gates.map(({ isOpen }) => isOpen)).toEqual([true, false]);
  expect(dead).toHaveLength(1);
});

test("threads: more traffic is thicker, and all of them together fit", () => {
  const rows = [row("a", 1e9), row("b", 1e7), row("c", 0)];
  const { threads } = threadsOf({ rows, exits: [exit("ams")] }, size);
  const [a, b, c] = threads.map(({ width }) => width) as [number, number, number];
  expect(a).toBeGreaterThan(b);
  expect(b).toBeGreaterThan(c);
  expect(a + b + c).toBeLessThan(size.height - lanePx);
});

test("threads: what leaves outside the VPN ends in the lane below the wall", () => {
  const outside = row("console", 1e6, { state: "direct", exit: null });
  const { threads, slabs, exitPx } = threadsOf({ rows: [row("tv", 1e6), outside], exits: [exit("ams")] }, size);
  const lane = threads.find(({ key }) => key === "console")!;
  expect(lane.d).toContain(` ${size.height - lanePx / 2}H`);
  const wallEnd = Math.max(...slabs.map(({ y, height }) => y + height));
  expect(wallEnd).toBeLessThanOrEqual(size.height - lanePx);
  expect(exitPx.get("ams")).toBeCloseTo(size.height - lanePx);
});

test("threads: a chain has its earlier hops between gate and exit, in their order", () => {
  const chain = exit("zrh", { hops: ["Stockholm", "Oslo", "Zürich"] });
  const { hops } = threadsOf({ rows: [row("nas", 1, { exit: "zrh" })], exits: [chain] }, size);
  expect(hops.map(({ name }) => name)).toEqual(["Stockholm", "Oslo"]);
  expect(hops[0]!.x).toBeLessThan(hops[1]!.x);
});
