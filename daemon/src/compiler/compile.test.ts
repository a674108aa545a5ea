import fc from "fast-check";
import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { noDnsClients } from "../../../testing/compiled.ts";
import { intentWith, network, numbersInOrder, policy, proxy, tunnel } from "../../../testing/intent.ts";
import { lookupRule } from "../../../testing/routing-rules.ts";
import { announceSeed } from "../../../testing/seed.ts";
import type { Routing } from "../engines/iproute/iproute.model.ts";
import { routedMark } from "../engines/nftables/marks.model.ts";
import { allocateAll, compile, neededAllocations } from "./compile.ts";
import { factsFor } from "./input/facts.ts";
import type { Intent, IntentPolicy } from "./input/intent.ts";
import { egressNumber, planName } from "./egress/kernel-ids.ts";

announceSeed("compile");

const tunnels = ["t0", "t1", "t2", "t3"].map((name, at) =>
  tunnel(name, { interface: at === 0 ? "direct" : `wg-${name}`, enabled: at !== 3 }),
);
const proxies = [proxy("p0"), proxy("p0 or direct"), proxy("here", { kind: "local", tunnelId: tunnels[1]!.id })];
const words = [...tunnels, ...proxies].flatMap(({ id, name }) => [id, name]);
/** What is there and what is not, ours and others', and what only looks like a tunnel. */
const targets = [...words, "eth7", "gone", "wan0", "wan1", "lan0", "direct"];
const uplinks = ["wan0", "wan1"];
const links = [...uplinks, "lan0", "eth7", ...tunnels.map((it) => it.interface)].map((name) => ({
  name,
  up: true,
  mtu: 1500,
}));

const hop = fc.record({ type: fc.constantFrom("vpn" as const, "proxy" as const), target: fc.constantFrom(...targets) });
const policies = fc.array(
  fc.record({
    priority: fc.integer({ min: 1, max: 3 }),
    hops: fc.array(hop, { minLength: 1, maxLength: 4 }),
    failPolicy: fc.constantFrom("fail-closed" as const, "fail-open" as const, "fail-over" as const),
    splitting: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);
const world = fc.record({
  several: fc.boolean(),
  up: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
  gone: fc.subarray(links.map(({ name }) => name)),
});

function compiled(
  wishes: readonly Partial<IntentPolicy>[],
  around: { several: boolean; up: boolean[]; gone: string[] },
) {
  const intent: Intent = intentWith({
    network: { ...network, uplinks: around.several ? uplinks : ["wan0"], defaultEgress: "block" },
    policies: wishes.map((over, at) => policy(`policy ${at}`, over)),
    tunnels,
    proxies,
    uplinks: {
      isProbed: true,
      mode: "manual",
      chosen: null,
      list: uplinks.map((name) => ({
        name,
        interface: name,
        priority: 0,
        enabled: around.several || name === "wan0",
        targets: [],
      })),
    },
  });
  const hops = [...tunnels, ...proxies];
  const facts = factsFor(intent, {
    links: links.filter(({ name }) => !around.gone.includes(name)),
    conditions: Object.fromEntries(
      hops.map(({ id }, at) => [id, { isUp: around.up[at]!, reason: because("link_answers") }]),
    ),
    secrets: Object.fromEntries(tunnels.map(({ secret }) => [secret!, '{"private_key":"x"}'])),
  });
  const input = { intent, facts, resources: noDnsClients };
  const allocations = allocateAll(neededAllocations(input), numbersInOrder);
  return { intent, facts, ...compile({ ...input, neighbours: [], allocations }) };
}

/** Where packets with a mark may leave, whatever is down: every device in the table the rules lead them to. */
function devicesOf(mark: number, { rules, routes }: Routing): string[] {
  const { action } = lookupRule(rules, { family: 4, mark, iif: "lan0" });
  if (typeof action !== "object" || !("lookup" in action)) return [];
  return routes.flatMap(({ family, table, nextHop }) =>
    family === 4 && table === action.lookup && nextHop !== "unreachable" ? [nextHop.device] : [],
  );
}

test("compile: a policy that does not fail open never leaves by an uplink, whichever hops are up", () =>
  fc.assert(
    fc.property(policies, world, (wishes, around) => {
      const { decisions, kernelIds, desired } = compiled(wishes, around);
      const { plans, splits } = desired.steering;
      for (const { policy: it } of decisions.ranked.filter((one) => one.policy.failPolicy !== "fail-open")) {
        const plan = kernelIds.plans.get(planName(it));
        const { egress } = plans.find((one) => one.plan === plan)!;
        const members = splits.find((one) => one.egress === egress)?.members ?? [{ egress }];
        const leaves = members.flatMap((one) => devicesOf(routedMark(one.egress), desired.iproute));
        const allowed = desired.guard.pairs.filter((pair) => members.some((one) => one.egress === pair.egress));
        const inClear = [...leaves, ...allowed.map((pair) => pair.interface)].filter((name) => uplinks.includes(name));
        expect(inClear).toEqual([]);
      }
    }),
    { numRuns: 300 },
  ));

test("compile: the same check finds the uplink of a policy that fails open", () => {
  const all = { several: false, up: Array.from({ length: 7 }, () => true), gone: [] };
  const { desired } = compiled([{ hops: [{ type: "vpn", target: "t1" }], failPolicy: "fail-open" }], all);
  expect(desired.steering.plans.flatMap(({ egress }) => devicesOf(routedMark(egress), desired.iproute))).toEqual([
    "wg-t1",
    "wan0",
  ]);
});

test("compile: a hop's own packets leave by its outer hop or not at all; those of first and unused hops leave by the uplink", () =>
  fc.assert(
    fc.property(policies, world, (wishes, around) => {
      const { links: hops, facts, intent, desired } = compiled(wishes, around);
      const outerHopOf = (id: string) => facts.hops.find(({ own }) => own?.id === id)?.own?.outerHop;
      const marks = [
        ...hops.wireguard.map((link) => ({
          id: tunnels.find((it) => it.interface === link.interface)!.id,
          mark: link.mark,
        })),
        ...desired.redirect.redirectors.map(({ name, mark }) => ({ id: name, mark })),
      ];
      for (const { id, mark } of marks) {
        const outer = outerHopOf(id)?.interface ?? intent.network.wan;
        const isThere = facts.links.some(({ name }) => name === outer);
        expect(devicesOf(mark, desired.iproute)).toEqual(isThere ? [outer] : []);
      }
    }),
    { numRuns: 300 },
  ));

test("compile: rules contain valid interface names only", () =>
  fc.assert(
    fc.property(policies, world, (wishes, around) => {
      const { desired } = compiled(wishes, around);
      const { redirectors, listeners } = desired.redirect;
      const named = [...redirectors, ...listeners, ...desired.guard.pairs].map((it) => it.interface);
      expect(named.filter((name) => !/^[!-~]{1,15}$/.test(name))).toEqual([]);
    }),
    { numRuns: 200 },
  ));

test("compile: plans of different hops have different numbers, even if their names look alike", () => {
  const all = { several: false, up: Array.from({ length: 7 }, () => true), gone: [] };
  const { kernelIds } = compiled(
    [
      { hops: [{ type: "vpn", target: "t1 vpn:t2" }] },
      {
        hops: [
          { type: "vpn", target: "t1" },
          { type: "vpn", target: "t2" },
        ],
      },
    ],
    all,
  );
  expect(kernelIds.plans.size).toBe(4 + 2);
  expect(egressNumber("unknown", kernelIds)).toBe(0xff);
});
