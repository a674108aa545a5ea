import { because, clause } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import type { Facts, HopFact } from "../input/facts.ts";
import { elsewhere, impossible, outcomeOf } from "./outcome.ts";
import { policy, proxyHop, vpn } from "../../../../testing/intent.ts";
import type { IntentPolicy } from "../input/intent.ts";

const own = (name: string, over: Partial<HopFact> = {}, before: string | null = null): HopFact => ({
  type: "vpn",
  target: name,
  interface: `wg-${name}`,
  up: true,
  own: { kind: "tunnel", id: name, outerHop: before === null ? null : { interface: before }, policyId: "p" },
  ...over,
});
const ownProxy = (name: string, before: string | null): HopFact => ({
  type: "proxy",
  target: name,
  interface: `proxy ${name}`,
  up: true,
  own: { kind: "proxy", id: name, outerHop: before === null ? null : { interface: before }, policyId: "p" },
});
const foreign = (name: string): HopFact => ({ type: "vpn", target: name, interface: name, up: true });
const factsOf = (...hops: HopFact[]): Facts => ({ links: [], hops });
const outcome = (over: Partial<IntentPolicy>, ...hops: HopFact[]) => {
  const { reason, ...rest } = outcomeOf(policy("p", over), factsOf(...hops));
  return { ...rest, reason: clause(reason) };
};

test("outcome: a chain leaves by its last hop when every hop is up", () => {
  expect(outcome({ hops: vpn("nl", "se") }, own("nl"), own("se", {}, "wg-nl"))).toEqual({
    kind: "egress",
    interface: "wg-se",
    isProxy: false,
    failsOpen: false,
    reason: "every hop is up",
  });
  expect(outcome({ hops: vpn("nl"), splitting: true }, own("nl"))).toMatchObject({
    interface: "wg-nl",
    reason: "one hop: nothing to split",
  });
});

test("outcome: a proxy may be the last hop, inside a tunnel or alone", () => {
  const hops = [...vpn("nl"), proxyHop("office")];
  expect(outcome({ hops }, own("nl"), ownProxy("office", "wg-nl"))).toMatchObject({ kind: "egress", isProxy: true });
  expect(outcome({ hops: [proxyHop("office")] }, ownProxy("office", null))).toMatchObject({ isProxy: true });
});

test.each<[string, Partial<IntentPolicy>, HopFact[]]>([
  ["it has no hops", { hops: [] }, []],
  ["hop 1 (nl) is unknown", { hops: vpn("nl") }, []],
  ["hop 1 (nl) is down", { hops: vpn("nl") }, [own("nl", { up: false })]],
  [
    "hop 2 (se) is down: it does not answer",
    { hops: vpn("nl", "se") },
    [own("nl"), own("se", { up: false, reason: because("program_silent") }, "wg-nl")],
  ],
  [
    "hop 2 (eth7) is an interface of another program, which cannot be put inside wg-nl",
    { hops: vpn("nl", "eth7") },
    [own("nl"), foreign("eth7")],
  ],
  [
    "hop 2 (nl) cannot be put inside proxy office: a proxy forwards connections only",
    { hops: [proxyHop("office"), ...vpn("nl")] },
    [ownProxy("office", null), own("nl", {}, "proxy office")],
  ],
  [
    "hop 1 (nl) runs behind wg-se, where another policy needs it",
    { hops: vpn("nl") },
    [own("nl", {}, "wg-se"), own("se")],
  ],
  ["hop 2 (se) runs by the uplink, where another policy needs it", { hops: vpn("nl", "se") }, [own("nl"), own("se")]],
  ["none of its hops is up", { hops: vpn("nl", "se"), splitting: true }, [own("nl", { up: false })]],
])("outcome: %s: blocked, direct or the next policy, by its fail policy", (why, over, hops) => {
  expect(outcome({ ...over, failPolicy: "fail-closed" }, ...hops)).toEqual({
    kind: "block",
    reason: `${why}, and it fails closed`,
  });
  expect(outcome({ ...over, failPolicy: "fail-open" }, ...hops)).toEqual({
    kind: "direct",
    reason: `${why}, and it fails open`,
  });
  expect(outcome({ ...over, failPolicy: "fail-over" }, ...hops)).toEqual({
    kind: "pass",
    reason: `${why}, and it fails over to the next policy`,
  });
});

test("outcome: connections are split among the hops that are up and use the uplink, by weight", () => {
  const hops = vpn("nl", "se", "de", "fr");
  const split = outcome(
    { hops, splitting: true, failPolicy: "fail-open" },
    own("nl", { weight: 3 }),
    own("se", { up: false }),
    own("de", {}, "wg-nl"),
    own("fr"),
  );
  expect(split).toEqual({
    kind: "split",
    members: [
      { interface: "wg-nl", weight: 3 },
      { interface: "wg-fr", weight: 1 },
    ],
    failsOpen: true,
    reason: "2 of 4 hops are up",
  });
});

test("outcome: a tunnel that is named twice gets one share", () => {
  const split = outcome({ hops: vpn("nl", "id"), splitting: true }, own("nl"), own("nl", { target: "id" }));
  expect(split).toMatchObject({ members: [{ interface: "wg-nl", weight: 1 }] });
});

test("outcome: a foreign interface is not nested, and can be a first hop", () => {
  expect(impossible(foreign("eth7"), undefined)).toBeUndefined();
  expect(elsewhere(foreign("eth7"), own("nl"))).toBeUndefined();
  expect(outcome({ hops: vpn("eth7", "nl") }, foreign("eth7"), own("nl", {}, "eth7"))).toMatchObject({
    kind: "egress",
    interface: "wg-nl",
  });
});
