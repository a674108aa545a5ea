import fc from "fast-check";
import { expect, test } from "vitest";
import { lookupRule } from "../../../../testing/routing-rules.ts";
import { announceSeed } from "../../../../testing/seed.ts";
import { routeLine, ruleLine } from "../../engines/iproute/iproute.diff.ts";
import { lanPriority, ownPriority, tableOf } from "../../engines/iproute/iproute.model.ts";
import { routedMark } from "../../engines/nftables/marks.model.ts";
import { blockEgress, directEgress, localEgress } from "../../engines/nftables/nftables.model.ts";
import type { Redirect } from "../../engines/nftables/redirect/redirect.model.ts";
import { decide } from "../policy/decide.ts";
import type { Facts } from "../input/facts.ts";
import { type Intent, type IntentPolicy, type Network, noLinks } from "../input/intent.ts";
import { compileRouting } from "./routing.ts";
import { egressesOf } from "./egresses.ts";

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
const kernelIds = {
  plans: new Map<string, number>(),
  domains: new Map<string, number>(),
  redirectors: new Map<string, number>(),
  egresses: new Map([
    ["t1", 2],
    ["/direct or t1", 3],
  ]),
};

const network = { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" } as const;
const noProxies = { lan: ["lan0"], redirectors: [], listeners: [], dns: null };
function routed(policies: readonly IntentPolicy[], around = facts, proxies: Redirect = noProxies) {
  const intent: Intent = { network, devices: [], groups: [], policies, exceptions: [], ...noLinks };
  return compileRouting(egressesOf(decide(intent, around).ranked, intent, around), network, around, proxies, kernelIds);
}

test("routing: a program without an egress has no route out, even without nftables", () => {
  const programs = [
    { userId: 1_900_018_000, egress: null },
    { userId: 1_900_018_008, egress: { mark: routedMark(directEgress), interfaces: ["wan0"] } },
  ];
  const dns = { listener: { port: 53, address: null }, resolverPorts: [], ownPort: 18_008, external: null, programs };
  const { rules } = routed([], facts, { ...noProxies, dns });
  expect(rules.filter(({ users, sourcePort, family }) => users && sourcePort === undefined && family === 4)).toEqual([
    { family: 4, priority: 7950, users: [1_900_018_008, 1_900_018_008], action: { lookup: tableOf(directEgress) } },
    { family: 4, priority: 7952, users: [1_900_000_000, 1_900_065_535], action: "prohibit" },
  ]);
});

test("routing: packets from a program's listening port reach the LAN or nothing, before the egress of its user", () => {
  const programs = [
    { userId: 1_900_018_000, egress: null },
    { userId: 1_900_018_008, egress: { mark: routedMark(directEgress), interfaces: ["wan0"] } },
  ];
  const external = { address: "10.0.0.9", port: 53, returnPort: 18_009 };
  const dns = { listener: { port: 53, address: null }, resolverPorts: [], ownPort: 18_008, external, programs };
  const direct = { mark: routedMark(directEgress), interface: "wan0" };
  const server = { address: "192.0.2.66", port: 1080 };
  const redirectors = [{ name: "r", egresses: [], port: 19_000, server, ...direct }];
  const listeners = [{ name: "l", port: 1080, userId: 1_900_001_080, ...direct }];
  const { rules } = routed([], facts, { lan: ["lan0"], redirectors, listeners, dns });
  const replies = rules.filter(({ sourcePort }) => sourcePort !== undefined);
  expect(replies.map(ruleLine)).toEqual(
    [4, 6].flatMap(() =>
      (
        [
          [1_900_019_000, 19_000],
          [1_900_001_080, 1080],
          [1_900_018_008, 18_008],
          [1_900_018_008, 18_009],
        ] as const
      ).map(([user, port]) => `priority 7949 from all uidrange ${user}-${user} sport ${port} prohibit`),
    ),
  );
  expect(replies.every(({ priority }) => priority > lanPriority && priority < ownPriority)).toBe(true);
});

test("routing: each network of a LAN ends in one unreachable route, also while the LAN is down", () => {
  const links = [
    { name: "wan0", up: true, networks: ["198.51.100.0/24"] },
    { name: "lan0", up: true, networks: ["10.0.0.0/24", "10.0.0.0/24", "fd00::/64"] },
    { name: "lan1", up: false, networks: ["10.0.1.0/24", "10.0.0.0/24"] },
  ];
  const { routes } = compileRouting(
    { egresses: [], splits: [] },
    { ...network, lan: ["lan0", "lan1"] },
    { links, hops: [] },
    noProxies,
    kernelIds,
  );
  expect([...new Set(routes.map(routeLine))]).toEqual([
    "unreachable 10.0.0.0/24 table 7900 metric 4278198272",
    "unreachable 10.0.1.0/24 table 7900 metric 4278198272",
    "10.0.0.0/24 dev lan0 table 7900 metric 10",
    "unreachable fd00::/64 table 7900 metric 4278198272",
    "fd00::/64 dev lan0 table 7900 metric 10",
  ]);
  expect(routes.filter(({ nextHop }) => nextHop === "unreachable")).toHaveLength(3);
});

const ownRules = (...policies: IntentPolicy[]) => routed(policies).rules.filter(({ from }) => from !== undefined);

test("routing: the gateway's own packets with a tunnel's address leave by that tunnel only", () => {
  expect(ownRules(policy("a", "fail-closed"))).toEqual([
    { family: 4, priority: 7950, from: "192.0.2.9", action: { lookup: 7002 } },
    { family: 6, priority: 7950, from: "2001:db8:1::1", action: { lookup: 7002 } },
  ]);
});

/** Rules for who wants to leave by one interface, where that has this gateway, or none. */
function boundRules(v6?: string) {
  const gateways = v6 === undefined ? {} : { v6 };
  const led = { ...facts, links: facts.links.map((link) => ({ ...link, gateways })) };
  const { rules } = routed([policy("a", "fail-open"), policy("b", "fail-closed")], led);
  return rules.filter(({ oif, to }) => oif !== undefined || to !== undefined);
}
const near = (to: string) =>
  ({ family: 6, priority: 7953, to, oif: "t1", action: { lookup: "main", but: "default" } }) as const;
const bound = { family: 6, priority: 7954, oif: "t1", action: { lookup: 7002 } } as const;

test("routing: a lookup for IPv6 through a tunnel finds that tunnel or nothing; for IPv4 the kernel enforces it", () => {
  expect(boundRules()).toEqual([near("fe80::/10"), bound]);
});

test("routing: a gateway is found on its own link, whatever kind of address it has", () => {
  expect(boundRules("fe80::1")).toEqual([near("fe80::/10"), bound]);
  expect(boundRules("2001:db8:1::2")).toEqual([near("fe80::/10"), near("2001:db8:1::2"), bound]);
});

test("routing: an interface without IPv6 gets no IPv6 route, which the kernel would reject; the unreachable route stays", () => {
  const without = { ...facts, links: facts.links.map((link) => ({ ...link, ipv6: false })) };
  const { routes } = routed([policy("a", "fail-closed")], without);
  expect(routes.filter(({ table }) => table === 7002).map(({ family, nextHop }) => [family, nextHop])).toEqual([
    [4, "unreachable"],
    [4, { device: "t1" }],
    [6, "unreachable"],
  ]);
});

test("routing: of two tables for one tunnel, the one without the uplink is used", () => {
  const rules = ownRules(policy("a", "fail-open"), policy("b", "fail-closed"));
  expect(rules.map(({ action }) => action)).toEqual([{ lookup: 7002 }, { lookup: 7002 }]);
});

/** One to two hundred egresses with arbitrary numbers. */
const egresses = fc
  .uniqueArray(fc.integer({ min: 0x02, max: 0xef }), { minLength: 0, maxLength: 199 })
  .map((numbers_) => [directEgress, ...numbers_]);

test("routing: with any number of egresses each mark finds its table, after few rules", () =>
  fc.assert(
    fc.property(egresses, fc.constantFrom(["lan0"], ["lan0", "lan1"]), (all, lan) => {
      const names = all.map((egress) => [egress === directEgress ? "/direct" : `t${egress}`, egress] as const);
      const { rules } = compileRouting(
        { egresses: names.map(([name]) => ({ name, interfaces: [name] })), splits: [] },
        { lan, wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" },
        { links: [], hops: [] },
        { lan, redirectors: [], listeners: [], dns: null },
        { ...kernelIds, egresses: new Map(names) },
      );
      for (const family of [4, 6] as const) {
        const found = (mark: number) => lookupRule(rules, { family, mark, iif: "lan0" });
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

test("routing: once uplinks are configured, the gateway's own packets leave by one of them", () => {
  const own = (over: Partial<Network>) =>
    compileRouting(
      { egresses: [{ name: "/direct", interfaces: ["wan1"] }], splits: [] },
      { lan: ["lan0"], wan: "wan1", uplinks: ["wan1"], defaultEgress: "direct", ...over },
      { links: [], hops: [] },
      { lan: ["lan0"], redirectors: [], listeners: [], dns: null },
      kernelIds,
    )
      .rules.filter(({ iif, family, icmp }) => iif === "lo" && family === 6 && icmp === undefined)
      .map(({ action }) => action);
  const chosen = [{ lookup: "main", but: "default" }, { lookup: tableOf(directEgress) }];
  expect(own({ unused: ["wan0"] })).toEqual(chosen);
  expect(own({ unused: [] })).toEqual(chosen);
  expect(own({ uplinks: ["wan0", "wan1"] })).toEqual(chosen);
  // With nothing but the bootstrap file's there is nothing to choose.
  expect(own({})).toEqual([]);
});

test("routing: ICMP errors of the gateway reach the LAN and nothing else", () => {
  const { rules } = compileRouting(
    { egresses: [{ name: "/direct", interfaces: ["wan0"] }], splits: [] },
    { lan: ["lan0"], wan: "wan0", uplinks: ["wan0", "wan1"], defaultEgress: "direct" },
    { links: [], hops: [] },
    { lan: ["lan0"], redirectors: [], listeners: [], dns: null },
    kernelIds,
  );
  const lines = (family: 4 | 6) =>
    rules
      .filter((it) => it.family === family && (it.iif === "lo" || it.priority === lanPriority))
      .map(ruleLine)
      .toSorted();
  expect(lines(4)).toEqual([
    "priority 7900 from all lookup 7900",
    "priority 7955 from all iif lo ipproto 1 dport 2816-3327 prohibit",
    "priority 7955 from all iif lo ipproto 1 dport 768-1023 prohibit",
    "priority 7960 from all iif lo lookup main suppress_prefixlength 0",
    "priority 7961 from all iif lo lookup 7001",
  ]);
  expect(lines(6)).toEqual([
    "priority 7900 from all lookup 7900",
    "priority 7955 from all iif lo ipproto 58 dport 256-1279 prohibit",
    "priority 7960 from all iif lo lookup main suppress_prefixlength 0",
    "priority 7961 from all iif lo lookup 7001",
  ]);
});
