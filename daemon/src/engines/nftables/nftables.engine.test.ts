import { expect, test } from "vitest";
import type { System } from "../../system/system.ts";
import { watchCommits } from "./commits.ts";
import { renderGuard } from "./guard/guard.render.ts";
import { guardEngine } from "./nftables.engine.ts";
import { rulesIn } from "./nftables.parse.ts";

const guard = {
  lan: ["lan0"],
  uplinks: ["wan0"],
  uplinkPorts: [],
  lanPairs: [],
  lanAddresses: [],
  innerHopServers: [],
  servers: [],
  inner: [],
  pairs: [{ egress: 1, interface: "wan0" }],
};

/** A kernel with as many rules as were loaded, unless another program flushes them right after. */
function kernel(flushed: () => boolean): System {
  let rules = 0;
  const rule = (place: number) => ({ rule: { family: "inet", table: "portcullis_guard", expr: place } });
  const run = async (_: string, args: readonly string[], { stdin = "" } = {}): Promise<string> => {
    if (args.includes("-f")) rules = flushed() ? 0 : rulesIn(stdin);
    return JSON.stringify({ nftables: Array.from({ length: rules }, (__, place) => rule(place)) });
  };
  return { run } as unknown as System;
}

test("each rule of a script is counted once", () => {
  expect(rulesIn(renderGuard(guard))).toBe(39);
});

test("guard: rules that another program flushes between load and read-back are an error", async () => {
  let isFlushed = true;
  const engine = guardEngine({ system: kernel(() => isFlushed), commits: watchCommits() }, { forget: () => {} });
  const pending = async () => engine.changes(guard, await engine.observe());
  await expect(engine.apply(await pending())).rejects.toThrow("another program");
  expect(await pending()).toHaveLength(1);
  isFlushed = false;
  await engine.apply(await pending());
  expect(await pending()).toEqual([]);
});
