import { join } from "node:path";
import { expect, test } from "vitest";
import { renderGuard } from "./guard/guard.render.ts";
import { renderNat } from "./steering/nat.render.ts";
import { localEgress, type Ruleset } from "./nftables.model.ts";
import { type Steering, steering } from "./steering/steering.render.ts";
import { encoded, type NamedSet } from "./table.model.ts";
import { differenceOf } from "./steering/steering.diff.ts";
import { renderTransactions, type ExistingObjects } from "./steering/transaction.render.ts";

const golden = (name: string): string => join(import.meta.dirname, "goldens", name);

/** A device, a network, a destination and a domain, each with a policy of its own; one of them is split. */
const ruleset: Ruleset = {
  lan: ["lan0", "lan0.10"],
  byMac: [{ key: "02:00:00:00:00:01", rank: 1 }],
  macRanks: [1],
  bySource: [
    { interface: "lan0", v4: [{ key: "10.0.0.0-10.0.0.255", rank: 2 }], v6: [] },
    { interface: "lan0.10", v4: [], v6: [{ key: "fd00::-fd00::ffff", rank: 5 }] },
  ],
  byDestination: { v4: [{ key: "203.0.113.9", rank: 3 }], v6: [] },
  byDomain: [{ number: 0x4000_0001, rank: 4 }],
  actions: [1, 2, 3, 4, 5, 0x1_ffff].map((rank, place) => ({
    rank,
    plan: place + 1,
    cause: rank > 5 ? "unmatched" : `policy ${rank}`,
  })),
  plans: [2, 3, 4, 5, 0xff, 1].map((egress, place) => ({ plan: place + 1, egress })),
  heldPlans: [5],
  closedRanks: [1],
  openEgresses: [1],
  splits: [{ egress: 5, members: [2, 3, 4].map((egress) => ({ egress, weight: egress === 3 ? 2 : 1 })) }],
  staying: [{ was: 6, is: 1 }],
  clamps: [
    { interface: "wg0", mtu: 1420 },
    { interface: "wg1", mtu: 1420 },
    { interface: "wg2", mtu: 1340 },
  ],
  unmatchedRank: 0x1_ffff,
  dnsListener: null,
  exceptions: {
    quarantined: { mac: [], v4: [], v6: [] },
    direct: { mac: [], v4: [], v6: [] },
    allowed: { mac4: [], mac6: [], v4: [], v6: [] },
  },
  controls: { mac: [], v4: [], v6: [], others: 0, resolvers: { v4: [], v6: [] } },
};
const nowMs = Date.UTC(2030, 0, 1);

test("steering: the first load", () =>
  expect(rendered(steering(ruleset, 1)).join(cut)).toMatchFileSnapshot(golden("first.nft")));

test("steering: DNS queries are classified by sender", () =>
  expect(
    rendered(
      steering(
        {
          ...ruleset,
          dnsListener: { port: 53, address: null, ratePerSec: 1000 },
          exceptions: {
            ...ruleset.exceptions,
            quarantined: { mac: [], v4: [{ key: "10.0.0.9", untilMs: null, cause: "device 9" }], v6: [] },
            direct: { mac: [], v4: [{ key: "10.0.0.8", untilMs: null, cause: "exception 8" }], v6: [] },
          },
        },
        1,
      ),
    ).join(cut),
  ).toMatchFileSnapshot(golden("dns.nft")));

const controlled: Ruleset = {
  ...ruleset,
  dnsListener: { port: 53, address: null, ratePerSec: 1000 },
  controls: {
    mac: [
      { key: "02:00:00:00:00:01", on: 15 },
      { key: "02:00:00:00:00:02", on: 0 },
    ],
    v4: [{ key: "10.0.0.7", on: 4 }],
    v6: [{ key: "fd00::7", on: 4 }],
    others: 2,
    resolvers: { v4: ["192.0.2.53", "198.51.100.0/24"], v6: ["2001:db8::53"] },
  },
};

test("what is switched off for whom is looked up by sender, once for each flow", () =>
  expect(rendered(steering(controlled, 1)).join(cut)).toMatchFileSnapshot(golden("controls.nft")));

test("steering: without a resolver, forced DNS queries are stopped", () => {
  const { chains } = steering({ ...controlled, dnsListener: null }, 1);
  expect(chains.find(({ name }) => name === "forced")?.rules).toEqual(["goto stopped"]);
  expect(chains.find(({ name }) => name === "dns_zone")).toBeUndefined();
});

test("one device's switch changes one element, and every flow is decided anew", () => {
  const known = steering(controlled, 1);
  const mac = Array.from({ length: 9 }, (_, n) => ({ key: `02:00:00:00:01:0${n}`, on: 15 }));
  const before = steering({ ...controlled, controls: { ...controlled.controls, mac } }, 2, known);
  const switched = mac.map((it, place) => (place === 3 ? { ...it, on: 2 } : it));
  const after = steering({ ...before.ruleset, controls: { ...controlled.controls, mac: switched } }, 3, before);
  const difference = differenceOf(before, after);
  expect(difference.isNothing).toBe(false);
  expect(difference.prepared).toEqual([]);
  expect(difference.updates.find(({ set }) => set.name === "control_mac")).toMatchObject({
    isEmptied: false,
    removed: [{ key: "02:00:00:00:01:03", data: "goto controls_15" }],
    added: [{ key: "02:00:00:00:01:03", data: "goto controls_2" }],
  });
});

const nothing = { sets: [], chains: [] };

function rendered(next: Steering, standing: ExistingObjects = nothing, known?: Steering, atMs = 0): string[] {
  return renderTransactions(next, differenceOf(known, next), standing, atMs);
}

const cut = "\n# The next transaction.\n";

test("a load over an older generation takes along what belonged to it", () => {
  const standing = {
    sets: ["mac_rank", "canary_1", "moving_1", "source4_eth9"],
    chains: ["classify", "split_9", "source_eth9"],
  };
  const text = rendered(steering({ ...ruleset, splits: [] }, 2), standing).join(cut);
  for (const gone of [
    "map inet portcullis canary_1",
    "map inet portcullis moving_1",
    "map inet portcullis source4_eth9",
    "chain inet portcullis split_9",
  ])
    expect(text).toContain(`delete ${gone}\n`);
  expect(text).not.toContain("delete map inet portcullis mac_rank");
  expect(text).not.toContain("flush map inet portcullis domain4");
});

test("steering: no verdict depends on a counter, except for rate limits of queries and refusals", () => {
  const text = rendered(steering(ruleset, 1)).join("");
  const counting = text.split("\n").filter((line) => /\bupdate @(?!dns_clients|refusals)/.test(line));
  expect(counting.length).toBeGreaterThan(3);
  expect(counting.filter((line) => !line.endsWith("}"))).toEqual([]);
});

test("whose policy is made to fail open is closed no longer, though its rank is the same", () => {
  const macs = (it: ReturnType<typeof steering>) =>
    it.sets.find(({ name }) => name === "closed_mac")!.elements.map(({ key }) => key);
  const before = steering(ruleset, 1);
  expect(macs(before)).toEqual(["02:00:00:00:00:01"]);
  expect(macs(steering({ ...ruleset, closedRanks: [] }, 2, before))).toEqual([]);
  expect(macs(steering({ ...ruleset, closedRanks: [1] }, 3, before))).toEqual(["02:00:00:00:00:01"]);
});

test("among what is known, an apply writes the elements that changed and nothing else", () => {
  const known = steering(ruleset, 1);
  const moved = { ...ruleset, byMac: [...ruleset.byMac, { key: "02:00:00:00:00:02", rank: 1 }] };
  const names = { sets: known.sets.map(({ name }) => name), chains: known.chains.map(({ name }) => name) };
  const many = Array.from({ length: 9 }, (_, n) => ({ key: `02:00:00:00:01:0${n}`, rank: 1 }));
  const before = { ...known, sets: known.sets.map((it) => (it.name === "mac_rank" ? withMacs(it, many) : it)) };
  const next = steering({ ...moved, byMac: [...many, ...moved.byMac] }, 2, before);
  const transactions = rendered(next, names, before);
  expect(transactions).toHaveLength(1); // No ranges have changed.
  const [text] = transactions as [string];
  expect(text.match(/^(?:add|delete) element inet portcullis (\S+)/gm)).toEqual(
    ["mac_rank", "known_mac", "closed_mac", "canary_2", "moving_2"].map((it) => `add element inet portcullis ${it}`),
  );
  expect(text).not.toMatch(/flush map inet portcullis (?:mac_rank|action|source|destination)/);
});

test("ranges that change get a map of their own, before any rule turns to it", () => {
  const known = steering(ruleset, 1);
  const byDestination = { v4: [{ key: "203.0.113.10", rank: 3 }], v6: [] };
  const next = steering({ ...ruleset, byDestination }, 2, known);
  const [beforehand, atOnce] = rendered(
    next,
    { sets: known.sets.map(({ name }) => name), chains: known.chains.map(({ name }) => name) },
    known,
  ) as [string, string];
  expect(beforehand).toContain("add element inet portcullis destination4_2 {\n\t203.0.113.10 : 0:3\n}");
  expect(beforehand).not.toMatch(/@|source4/);
  expect(atOnce).toContain("ip daddr map @destination4_2");
  expect(atOnce).toContain("delete map inet portcullis destination4_1\n");
  expect(atOnce).toContain("ip saddr map @source4_lan0_1\n");
});

test("counts stay while policies come and change places, and go when nothing is known", () => {
  const known = steering(ruleset, 1);
  const names = { sets: known.sets.map(({ name }) => name), chains: known.chains.map(({ name }) => name) };
  const [first, ...others] = ruleset.actions;
  const actions = [{ ...first!, cause: "policy new" }, { ...first!, rank: 6 }, ...others];
  const next = steering({ ...ruleset, actions }, 2, known);
  const [text] = rendered(next, names, known) as [string];
  expect(text).toContain("0x00000001 : 0:7,\n\t0x00000006 : 0:1"); // The old one keeps its number in its new place.
  expect(text).not.toContain("flush set inet portcullis hits");
  expect(rendered(next, names).join(cut)).toContain("flush set inet portcullis hits\n");
});

const withMacs = (set: NamedSet, macs: readonly { key: string; rank: number }[]): NamedSet => ({
  ...set,
  elements: [...macs.map(({ key }) => ({ key, data: "0x00000001" })), ...set.elements],
});

test("an element that ends by itself is written with the time it has left", () => {
  const set: NamedSet = {
    name: "m",
    kind: "map",
    type: "t",
    flags: "timeout",
    elements: [{ key: "k", untilMs: 61_500 }],
  };
  const [text] = rendered({ ...steering(ruleset, 1), sets: [set] }, nothing, undefined, 60_000);
  expect(text).toContain("k timeout 1500ms");
});

test("exceptions: who is cut off, who is let out, and where to", () => {
  const until = (key: string, seconds: number) => ({
    key,
    untilMs: nowMs + seconds * 1000,
    cause: `exception ${seconds}`,
  });
  const exceptions = {
    quarantined: {
      mac: [{ key: "02:00:00:00:00:09", untilMs: null, cause: "device 9" }, until("02:00:00:00:00:08", 60)],
      v4: [],
      v6: [],
    },
    direct: { mac: [until("02:00:00:00:00:01", 3600)], v4: [until("10.0.0.7", 0.5)], v6: [until("fd00::7", -5)] },
    allowed: {
      mac4: [until("02:00:00:00:00:02 . 203.0.113.0/24", 30)],
      mac6: [],
      v4: [],
      v6: [until("fd00::7 . 2001:db8::1", 30)],
    },
  };
  return expect(
    rendered(steering({ ...ruleset, exceptions }, 1), nothing, undefined, nowMs).join(cut),
  ).toMatchFileSnapshot(golden("exceptions.nft"));
});

test("the guard", () =>
  expect(
    renderGuard({
      lan: ["lan0"],
      uplinks: ["wan0"],
      uplinkPorts: [22, 8443],
      pairs: [
        { egress: 1, interface: "wan0" },
        { egress: 2, interface: "wg0" },
      ],
      lanPairs: [],
      lanAddresses: [],
      innerHopServers: [],
      servers: [],
      inner: [],
    }),
  ).toMatchFileSnapshot(golden("guard.nft")));

test("the guard of two uplinks and a tunnel in a tunnel", () =>
  expect(
    renderGuard({
      lan: ["lan0", "lan1"],
      uplinks: ["wan0", "wan1"],
      uplinkPorts: [],
      pairs: [
        { egress: 1, interface: "wan0" },
        { egress: 3, interface: "wan0" },
        { egress: 3, interface: "wg0" },
        { egress: localEgress, interface: "lan1" },
      ],
      lanPairs: [
        { from: "lan0", to: "lan0" },
        { from: "lan0", to: "lan1" },
        { from: "lan1", to: "lan1" },
      ],
      lanAddresses: [
        { address: "10.0.0.1", interface: "lan0" },
        { address: "10.0.1.1", interface: "lan0" },
        { address: "fd00:1::1", interface: "lan1" },
      ],
      innerHopServers: [
        { address: "198.51.100.7", protocol: "udp", port: 51820 },
        { address: "2001:db8::7", protocol: "tcp", port: 443 },
      ],
      servers: [
        { address: "198.51.100.6", protocol: "udp", port: 51820 },
        { address: "2001:db8::6", protocol: "tcp", port: 1080 },
      ],
      inner: [
        { address: "10.64.0.2", interface: "wg1" },
        { address: "10.64.0.2", interface: "wg0" },
        { address: "fd00:64::2", interface: "wg0" },
      ],
    }),
  ).toMatchFileSnapshot(golden("guard-chained.nft")));

test("nat: the masquerade rule", () => expect(renderNat(["lan0", "lan1"])).toMatchFileSnapshot(golden("nat.nft")));

test("interface names that nft could not read keep apart", () => {
  expect(new Set(["lan0.10", "lan0-10", "lan0_10", "lan010"].map(encoded)).size).toBe(4);
});
