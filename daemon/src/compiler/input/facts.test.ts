import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { allUp, intentWith, network, policy, proxy, proxyHop, tunnel, vpn } from "../../../../testing/intent.ts";
import { factsFor, type HopFact, type ObservedState } from "./facts.ts";
import type { Hop } from "@portcullis/contract/subsystems/routing";
import type { IntentPolicy } from "./intent.ts";

const [nl, se, office] = [tunnel("nl", { weight: 3 }), tunnel("se"), proxy("office")];
const world: ObservedState = {
  links: ["lan0", "wan0", "wan1", "eth7"].map((name) => ({ name, up: true })),
  conditions: allUp([nl, se, office]),
};
const inputOf = (policies: readonly IntentPolicy[], over: object = {}) => ({
  policies,
  tunnels: [nl, se],
  proxies: [office, proxy("socks", { kind: "local" })],
  network,
  disabledPolicies: [],
  uplinks: {
    isProbed: true,
    mode: "auto" as const,
    chosen: null,
    list: ["wan0", "wan1"].map((name, priority) => ({
      name,
      interface: name,
      priority,
      enabled: name === "wan0",
      targets: [],
    })),
  },
  ...over,
});
const hopsOf = (...policies: IntentPolicy[]): readonly HopFact[] => factsFor(inputOf(policies), world).hops;
const hopOf = (hop: Hop): HopFact | undefined => hopsOf(policy("p", { hops: [hop] }))[0];
const placeOf = (name: string, hops: readonly HopFact[]) => hops.find(({ own }) => own?.id === `id of ${name}`)?.own;

test.each([nl.id, nl.name])("facts: a hop finds a tunnel by id and by name: %s", (target) => {
  expect(hopOf({ type: "vpn", target })).toEqual({
    type: "vpn",
    target,
    interface: "wg-nl",
    up: true,
    weight: 3,
    own: { kind: "tunnel", id: nl.id, outerHop: null, policyId: "p" },
  });
});

test.each(["vpn", "interface"] as const)(
  "facts: a hop that names a tunnel's interface is that tunnel, never nested in itself: %s",
  (type) => {
    const byInterface = { type, target: "wg-nl" };
    expect(hopOf(byInterface)).toMatchObject({ interface: "wg-nl", up: true, own: { id: nl.id, outerHop: null } });
    const hops = hopsOf(policy("p", { hops: [byInterface, ...vpn("se", "nl")] }));
    expect(placeOf("se", hops)).toMatchObject({ outerHop: { interface: "wg-nl" } });
    expect(placeOf("nl", hops)).toMatchObject({ outerHop: null });
  },
);

test("facts: an id has precedence over an equal name", () => {
  const impostor = tunnel("x", { name: nl.id });
  const { hops } = factsFor(inputOf([policy("p", { hops: vpn(nl.id) })], { tunnels: [impostor, nl] }), world);
  expect(hops[0]!.interface).toBe("wg-nl");
});

test("facts: an upstream proxy is a hop without an interface; a local one is no hop", () => {
  expect(hopOf(proxyHop("office"))).toMatchObject({ interface: "proxy office", own: { kind: "proxy" } });
  expect(hopOf(proxyHop("socks"))).toBeUndefined();
});

test("facts: a vpn hop may be a foreign interface, but never an uplink, even a disabled one, nor a LAN", () => {
  expect(hopOf(vpn("eth7")[0]!)).toEqual({ type: "vpn", target: "eth7", interface: "eth7", up: true });
  for (const target of ["lan0", "wan0", "wan1"]) expect(hopOf(vpn(target)[0]!)).toBeUndefined();
  expect(hopOf({ type: "interface", target: "wan0" })).toMatchObject({ interface: "wan0", up: true });
});

test("facts: an unknown hop has no egress, and a proxy is never an interface", () => {
  expect(hopOf(vpn("gone")[0]!)).toBeUndefined();
  expect(hopOf(proxyHop("eth7"))).toBeUndefined();
});

test("facts: a hop that is disabled, not probed yet or does not answer is down, with a reason", () => {
  const facts = (tunnels: readonly (typeof nl)[], conditions: ObservedState["conditions"]) =>
    factsFor(inputOf([policy("p", { hops: vpn("nl") })], { tunnels }), { ...world, conditions: conditions ?? {} })
      .hops[0]!;
  expect(facts([{ ...nl, enabled: false }], world.conditions)).toMatchObject({
    up: false,
    reason: because("link_disabled"),
  });
  expect(facts([nl], {})).toMatchObject({ up: false, reason: because("link_unknown") });
  const silent = { [nl.id]: { isUp: false, reason: because("program_silent") } };
  expect(facts([nl], silent)).toMatchObject({ up: false, reason: because("program_silent") });
});

test("facts: an assumption about a target overrides its observed state", () => {
  const policies = [policy("p", { hops: vpn("nl", "eth7") })];
  const { hops } = factsFor(inputOf(policies), world, { nl: false, eth7: false });
  expect(hops.map(({ up }) => up)).toEqual([false, false]);
  expect(factsFor(inputOf(policies), { links: [] }, { nl: true }).hops.map(({ up }) => up)).toEqual([true]);
});

test("facts: the first policy by rank that uses a hop decides its nesting", () => {
  const behind = policy("behind", { priority: 20, hops: vpn("se", "nl") });
  const alone = policy("alone", { priority: 5, hops: vpn("nl") });
  for (const policies of [
    [behind, alone],
    [alone, behind],
  ])
    expect(placeOf("nl", hopsOf(...policies))).toMatchObject({ outerHop: null, policyId: "alone" });
  expect(placeOf("nl", hopsOf(behind, { ...alone, priority: 30 }))).toMatchObject({
    outerHop: { interface: "wg-se" },
    policyId: "behind",
  });
});

test("facts: split hops use the uplink side by side; a single hop and a mixed list are a chain", () => {
  const split = policy("p", { hops: vpn("nl", "se"), splitting: true });
  expect(["nl", "se"].map((name) => placeOf(name, hopsOf(split))!.outerHop)).toEqual([null, null]);
  const mixed = policy("p", { hops: [...vpn("nl"), proxyHop("office")], splitting: true });
  expect(placeOf("office", hopsOf(mixed))!.outerHop).toEqual({ interface: "wg-nl" });
});

test("facts: a hop that two policies name differently is nested once", () => {
  const hops = hopsOf(policy("a", { priority: 1, hops: vpn("se", nl.id) }), policy("b", { hops: vpn("nl") }));
  expect(hops.filter(({ interface: name }) => name === "wg-nl").map(({ own }) => own?.outerHop)).toEqual([
    { interface: "wg-se" },
    { interface: "wg-se" },
  ]);
});

test("facts: a hop inside a removed one never uses the uplink", () => {
  const chain = policy("p", { hops: vpn("ppp0", "nl") });
  expect(placeOf("nl", hopsOf(chain))!.outerHop).toEqual({ interface: "vpn ppp0" });
  const there = factsFor(inputOf([chain]), { ...world, links: [{ name: "ppp0", up: true }] });
  expect(placeOf("nl", there.hops)!.outerHop).toEqual({ interface: "ppp0" });
});

test("facts: a tunnel named by its interface is that tunnel, and never nested in itself", () => {
  const tunnels = [tunnel("nl"), tunnel("se")];
  const policies = [policy("p", { hops: vpn("wg-nl", "se", "nl") })];
  const { hops } = factsFor(intentWith({ tunnels, policies }), { links: [{ name: "wg-nl", up: true }] });
  expect(hops.map(({ own }) => [own?.id, own?.outerHop?.interface])).toEqual([
    ["id of nl", undefined],
    ["id of se", "wg-nl"],
    ["id of nl", undefined],
  ]);
});

test("facts: an interface whose name is invalid in a rule is no hop, even if it exists and is stored", () => {
  const links = ["plain", 'w"}'].map((name) => ({ name, up: true }));
  const known = (target: string) =>
    factsFor(inputOf([policy("p", { hops: [{ type: "interface", target }] })]), { ...world, links }).hops;
  expect(known("plain")).toMatchObject([{ interface: "plain", up: true }]);
  for (const { interface: name } of known('w"}')) expect(name).not.toContain('"');
});
