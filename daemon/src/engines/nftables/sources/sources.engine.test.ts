import { expect, test } from "vitest";
import type { System } from "../../../system/system.ts";
import { watchCommits } from "../commits.ts";
import { guardEngine } from "../nftables.engine.ts";
import type { Guard } from "../nftables.model.ts";
import { sourceEngines } from "./sources.engine.ts";
import type { ProtectedSources } from "./sources.model.ts";

const guard: Guard = {
  lan: ["lan0"],
  uplinks: ["wan0"],
  uplinkPorts: [],
  pairs: [],
  lanPairs: [],
  lanAddresses: [],
  innerHopServers: [],
  servers: [],
  inner: [],
};
const phone = "02:00:00:00:00:01";
const wanted: ProtectedSources = { macs: [phone], exempt: [], v4: [], v6: [] };

/** As much of nft as a table, and one set of it, need. */
function kernel() {
  const state = { isThere: false, macs: new Set<string>(), listed: 0 };
  const run = async (_: string, words: readonly string[], { stdin = "" }: { stdin?: string } = {}) => {
    if (words.includes("-f")) {
      state.isThere ||= stdin.includes("table inet portcullis_guard {");
      for (const [, mac] of stdin.matchAll(/add element .* protected_mac \{ (\S+) \}/g)) state.macs.add(mac!);
      for (const [, mac] of stdin.matchAll(/delete element .* protected_mac \{ (\S+) \}/g)) state.macs.delete(mac!);
      return "";
    }
    if (!state.isThere) throw new Error("No such file or directory");
    state.listed += 1;
    const set = { family: "inet", table: "portcullis_guard", name: "protected_mac", elem: [...state.macs] };
    return JSON.stringify({ nftables: [{ set }] });
  };
  return { state, system: { run } as unknown as System };
}

const bring = async (engine: ReturnType<typeof sourceEngines>["protection"], sources: ProtectedSources) => {
  const changes = engine.changes(sources, await engine.observe());
  if (changes.length > 0) await engine.apply(changes);
};

test("protected senders: what was loaded is not listed again until a foreign change", async () => {
  const { state, system } = kernel();
  const commits = watchCommits();
  const { protection, release } = sourceEngines({ system, commits });
  state.isThere = true;
  await bring(protection, wanted);
  await bring(release, wanted);
  await bring(protection, wanted);
  expect([...state.macs, state.listed]).toEqual([phone, 1]);
  commits.invalidate();
  state.macs.clear();
  await bring(protection, wanted);
  expect([...state.macs, state.listed]).toEqual([phone, 2]);
  await bring(protection, { ...wanted, macs: [] });
  expect([...state.macs]).toEqual([phone]); // Only the release takes it out.
  await bring(release, { ...wanted, macs: [] });
  expect([...state.macs]).toEqual([]);
});

test("protected senders: a guard whose table vanished without an event gets them again", async () => {
  const { state, system } = kernel();
  const commits = watchCommits();
  const { protection, forget } = sourceEngines({ system, commits });
  const engine = guardEngine({ system, commits }, { forget });
  const load = async () => {
    const changes = engine.changes(guard, await engine.observe());
    // This kernel lists no rules, which the engine reports after it has loaded them.
    await expect(engine.apply(changes)).rejects.toThrow("another program changed");
  };
  await load();
  await bring(protection, wanted);
  expect([...state.macs]).toEqual([phone]);
  state.isThere = false;
  state.macs.clear();
  await load();
  await bring(protection, wanted);
  expect([...state.macs]).toEqual([phone]);
});
