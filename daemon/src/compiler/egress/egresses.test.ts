import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { allUp, intentWith, network, policy, proxy, proxyHop, tunnel, vpn } from "../../../../testing/intent.ts";
import { decide } from "../policy/decide.ts";
import { factsFor } from "../input/facts.ts";
import type { Intent } from "../input/intent.ts";
import { egressName, egressesOf } from "./egresses.ts";

const [nl, se, office] = [tunnel("nl"), tunnel("se", { weight: 2 }), proxy("office")];
const egressesFor = (over: Partial<Intent>) => {
  const intent = intentWith({ tunnels: [nl, se], proxies: [office], ...over });
  const facts = factsFor(intent, { links: [], conditions: allUp([nl, se, office]) });
  return egressesOf(decide(intent, facts).ranked, intent, facts);
};
const names = (over: Partial<Intent>) =>
  egressesFor(over).egresses.map(({ name, interfaces }) => [name, ...interfaces]);

test("egresses: the uplink and each enabled tunnel exist, used by a policy or not", () => {
  expect(names({})).toEqual([
    ["/direct", "wan0"],
    ["wg-nl", "wg-nl"],
    ["wg-se", "wg-se"],
  ]);
  expect(names({ tunnels: [{ ...nl, enabled: false }] })).toEqual([["/direct", "wan0"]]);
});

test("egresses: each of several uplinks is one; a single uplink is direct", () => {
  expect(names({ tunnels: [], network: { ...network, uplinks: ["wan0", "wan1"] } })).toEqual([
    ["/direct", "wan0"],
    ["wan0", "wan0"],
    ["wan1", "wan1"],
  ]);
});

test("egresses: one that fails open has the uplink as its second interface, and its own name", () => {
  const policies = [
    policy("blocked", { hops: vpn("nl") }),
    policy("open", { hops: vpn("nl"), failPolicy: "fail-open" }),
    policy("over", { hops: vpn("se"), failPolicy: "fail-over" }),
  ];
  expect(names({ policies })).toEqual([
    ["/direct", "wan0"],
    ["wg-nl", "wg-nl"],
    ["wg-se", "wg-se"],
    ["/direct or wg-nl", "wg-nl", "wan0"],
  ]);
});

test("egresses: one of a proxy has no interface", () => {
  const hops = [proxyHop("office")];
  expect(names({ tunnels: [], policies: [policy("a", { hops })] })).toContainEqual(["proxy office"]);
  expect(names({ tunnels: [], policies: [policy("a", { hops, failPolicy: "fail-open" })] })).toContainEqual([
    "/direct or proxy office",
    "wan0",
  ]);
});

test("egresses: a split has the egresses of its members, with weights", () => {
  const hops = vpn("nl", "se");
  expect(egressesFor({ policies: [policy("a", { hops, splitting: true, failPolicy: "fail-open" })] })).toMatchObject({
    splits: [
      {
        name: "split /direct or wg-nl, /direct or wg-se × 2",
        members: [
          { name: "/direct or wg-nl", weight: 1 },
          { name: "/direct or wg-se", weight: 2 },
        ],
      },
    ],
  });
});

test("egresses: with several uplinks, direct is the active one", () => {
  const direct = { kind: "direct", reason: because("lan_destination") } as const;
  expect(egressName(direct, network)).toBe("/direct");
  expect(egressName(direct, { uplinks: ["wan0", "wan1"], wan: "wan1" })).toBe("wan1");
  expect(egressName({ kind: "pass", reason: because("lan_destination") }, network)).toBe("/block");
  expect(egressName({ kind: "local", reason: because("lan_destination") }, network)).toBe("/local");
});

test.each(["direct", "block", "local", "lo"])("egresses: a tunnel called %s has its own", (name) => {
  const own = tunnel("x", { interface: name });
  expect(names({ tunnels: [own] })).toEqual([
    ["/direct", "wan0"],
    [name, name],
  ]);
});

test("egresses: whatever the names of proxies, fail-closed and fail-open never share one", () => {
  const proxies = [proxy("a"), proxy("a or direct"), proxy("/direct or a")];
  const policies = proxies.flatMap(({ name }) => [
    policy(`${name} closed`, { hops: [proxyHop(name)] }),
    policy(`${name} open`, { hops: [proxyHop(name)], failPolicy: "fail-open" }),
  ]);
  const intent = intentWith({ proxies, policies });
  const facts = factsFor(intent, { links: [], conditions: allUp(proxies) });
  const { egresses } = egressesOf(decide(intent, facts).ranked, intent, facts);
  expect(egresses.filter(({ interfaces }) => interfaces.length === 0).map(({ name }) => name)).toEqual(
    expect.arrayContaining(proxies.map(({ name }) => `proxy ${name}`)),
  );
  expect(egresses).toHaveLength(7);
});

test("egresses: an outer hop has one, also if it is a foreign interface and no policy ends there", () => {
  const intent = intentWith({ tunnels: [nl], policies: [policy("p", { hops: vpn("ppp0", "nl") })] });
  const facts = factsFor(intent, { links: [{ name: "ppp0", up: true }] });
  const { egresses } = egressesOf(decide(intent, facts).ranked, intent, facts);
  expect(egresses).toContainEqual({ name: "ppp0", interfaces: ["ppp0"] });
});
