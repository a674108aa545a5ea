import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import type { Facts } from "./facts.ts";
import { type Intent, type IntentPolicy, noCarriers } from "./intent.ts";
import { route } from "./route.ts";
import { waysOf } from "./ways.ts";

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
    ["t1 or direct", 3],
  ]),
};

function ownRules(...policies: IntentPolicy[]) {
  const network = { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" } as const;
  const intent: Intent = { network, devices: [], groups: [], policies, exceptions: [], ...noCarriers };
  return route(
    waysOf(decide(intent, facts).ranked, intent),
    network,
    facts,
    { lan: ["lan0"], redirectors: [], listeners: [] },
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
