import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Advertisement } from "./radvd.model.ts";
import { timesReloaded } from "./radvd.parse.ts";
import { renderRadvd } from "./radvd.render.ts";

const advertisement: Advertisement = {
  interface: "lan0",
  index: 4,
  lifetimeSec: 1800,
  prefixes: ["fd00::/64", "fd01::/64"],
  resolvers: ["fd00::1"],
};

test("radvd: prefixes, resolvers and their lifetimes", async () => {
  await expect(renderRadvd(advertisement)).toMatchFileSnapshot("goldens/two.conf");
  expect(renderRadvd({ ...advertisement, resolvers: [] })).not.toContain("RDNSS");
});

test("radvd: intervals are those that radvd accepts, and a lifetime contains three advertisements", () => {
  fc.assert(
    fc.property(fc.integer({ min: 120, max: 9000 }), (lifetimeSec) => {
      const text = renderRadvd({ ...advertisement, lifetimeSec });
      const [min, max] = ["Min", "Max"].map((it) => Number(new RegExp(`${it}RtrAdvInterval (\\d+);`).exec(text)![1]));
      expect(min).toBeGreaterThanOrEqual(3);
      expect(min).toBeLessThanOrEqual(0.75 * max!);
      expect(max).toBeLessThanOrEqual(1800);
      expect(3 * max!).toBeLessThanOrEqual(lifetimeSec);
    }),
  );
});

test("radvd: another index of the interface, prefix, resolver or lifetime is another configuration", () => {
  const others: Partial<Advertisement>[] = [
    { index: 5 },
    { lifetimeSec: 600 },
    { prefixes: ["fd00::/64"] },
    { resolvers: ["fd00::2"] },
  ];
  for (const it of others) expect(renderRadvd({ ...advertisement, ...it })).not.toBe(renderRadvd(advertisement));
});

test("radvd: its output shows how often it has read its configuration again", () => {
  const line = (text: string) => `[Nov 18 20:00:00] radvd (2): ${text}\n`;
  const output = line("version 2.19 started");
  expect(timesReloaded(output)).toBe(0);
  const reload = line("attempting to reread config file") + line("resuming normal operation");
  expect(timesReloaded(output + reload + reload)).toBe(2);
});
