import fc from "fast-check";
import { expect, test } from "vitest";
import { ruled } from "../../../testing/rules.ts";
import { announceSeed } from "../../../testing/seed.ts";
import { tableOf } from "../engines/iproute/iproute.model.ts";
import { routedMark } from "../engines/nftables/marks.model.ts";
import { blockEgress, directEgress, localEgress } from "../engines/nftables/nftables.model.ts";
import { decide } from "./decide.ts";
import type { Facts } from "./facts.ts";
import { type Intent, type IntentPolicy, type Network, noCarriers } from "./intent.ts";
import { route } from "./route.ts";
import { waysOf } from "./ways.ts";

announceSeed("route");

const policy = (id: string, failPolicy: IntentPolicy["failPolicy"]): IntentPolicy => ({
  id,
  priority: 1,
  sourceType: "all",
  sourceValue: "",
  hops: [{ type: "vpn", target: "t1" }],
  failPolicy,
  splitting: false,
});
const facts: Facts = {
  links: [
    { name: "wan0", up: true, addresses: ["192.0.2.1"] },
    { name: "t1", up: true, addresses: ["192.0.2.9", "2001:db8:1::1"] },
    { name: "t2", up: true, addresses: ["192.0.2.17"] },
  ],
  hops: [{ type: "vpn", target: "t1", interface: "t1", up: true }],
};
const numbers = {
  plans: new Map<string, number>(),
  domains: new Map<string, number>(),
  redirectors: new Map<string, number>(),
  egresses: new Map([
    ["t1", 2],
    ["/direct or t1", 3],
  ]),
};

function ownRules(...policies: IntentPolicy[]) {
  const network = { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" } as const;
  const intent: Intent = { network, devices: [], groups: [], policies, exceptions: [], ...noCarriers };
  return route(
    waysOf(decide(intent, facts).ranked, intent, facts),
    network,
    facts,
    { lan: ["lan0"], redirectors: [], listeners: [], names: null },
    numbers,
  ).rules.filter(({ from }) => from !== undefined);
}

test("with the address of a tunnel the gateway itself speaks by that tunnel only", () => {
  expect(ownRules(policy("a", "fail-closed"))).toEqual([
    { family: 4, priority: 7950, from: "192.0.2.9", action: { lookup: 7002 } },
    { family: 6, priority: 7950, from: "2001:db8:1::1", action: { lookup: 7002 } },
  ]);
});

test("of two tables for one tunnel the one that never leads to the uplink is taken", () => {
  const rules = ownRules(policy("a", "fail-open"), policy("b", "fail-closed"));
  expect(rules.map(({ action }) => action)).toEqual([{ lookup: 7002 }, { lookup: 7002 }]);
});

/** Between one way and two hundred, with whatever numbers the ledger gave them. */
const egresses = fc
  .uniqueArray(fc.integer({ min: 0x02, max: 0xef }), { minLength: 0, maxLength: 199 })
  .map((numbers_) => [directEgress, ...numbers_]);

test("however many ways there are, each mark finds its own table, and few rules are compared on the way", () =>
  fc.assert(
    fc.property(egresses, fc.constantFrom(["lan0"], ["lan0", "lan1"]), (all, lan) => {
      const names = all.map((egress) => [egress === directEgress ? "/direct" : `t${egress}`, egress] as const);
      const { rules } = route(
        { ways: names.map(([name]) => ({ name, interfaces: [name] })), splits: [] },
        { lan, wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" },
        { links: [], hops: [] },
        { lan, redirectors: [], listeners: [], names: null },
        { ...numbers, egresses: new Map(names) },
      );
      for (const family of [4, 6] as const) {
        const found = (mark: number) => ruled(rules, { family, mark, iif: "lan0" });
        for (const egress of all) expect(found(routedMark(egress)).action).toEqual({ lookup: tableOf(egress) });
        expect(found(routedMark(blockEgress)).action).toBe("prohibit");
        expect(found(routedMark(localEgress)).action).toEqual({ lookup: 7900 });
        expect(found(0).action).toEqual({ lookup: 7900 });
        const costs = [...all, blockEgress].map((egress) => found(routedMark(egress)).compared);
        expect(Math.max(...costs)).toBeLessThanOrEqual(33);
      }
    }),
    { numRuns: 60 },
  ));

test("as soon as somebody says which uplinks to use, the gateway's own packets leave by one of those", () => {
  const own = (over: Partial<Network>) =>
    route(
      { ways: [{ name: "/direct", interfaces: ["wan1"] }], splits: [] },
      { lan: ["lan0"], wan: "wan1", uplinks: ["wan1"], defaultEgress: "direct", ...over },
      { links: [], hops: [] },
      { lan: ["lan0"], redirectors: [], listeners: [], names: null },
      numbers,
    )
      .rules.filter(({ iif, family }) => iif === "lo" && family === 6)
      .map(({ action }) => action);
  const chosen = [{ lookup: "main", but: "default" }, { lookup: tableOf(directEgress) }];
  expect(own({ unused: ["wan0"] })).toEqual(chosen);
  expect(own({ unused: [] })).toEqual(chosen);
  expect(own({ uplinks: ["wan0", "wan1"] })).toEqual(chosen);
  // With nothing but the bootstrap file's there is nothing to choose.
  expect(own({})).toEqual([]);
});
