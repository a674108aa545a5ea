import { join } from "node:path";
import { expect, test } from "vitest";
import { renderGuard } from "./guard.render.ts";
import { renderNat } from "./nat.render.ts";
import type { Ruleset } from "./nftables.model.ts";
import { encoded, steering } from "./steering.render.ts";
import { renderTransaction } from "./transaction.render.ts";

const golden = (name: string): string => join(import.meta.dirname, "goldens", name);

/** A device, a network, a destination and a domain, each with a policy of its own; one of them is split. */
const ruleset: Ruleset = {
  lan: ["lan0", "lan0.10"],
  byMac: [{ key: "02:00:00:00:00:01", rank: 1 }],
  bySource: [
    { interface: "lan0", v4: [{ key: "10.0.0.0-10.0.0.255", rank: 2 }], v6: [] },
    { interface: "lan0.10", v4: [], v6: [{ key: "fd00::-fd00::ffff", rank: 5 }] },
  ],
  byDestination: { v4: [{ key: "203.0.113.9", rank: 3 }], v6: [] },
  byDomain: [{ number: 0x4000_0001, rank: 4 }],
  actions: [1, 2, 3, 4, 5, 0x3fff_ffff].map((rank, place) => ({
    rank,
    plan: place + 1,
    cause: rank > 5 ? "unmatched" : `policy ${rank}`,
  })),
  plans: [2, 3, 4, 5, 0xff, 1].map((egress, place) => ({ plan: place + 1, egress })),
  splits: [{ egress: 5, members: [2, 3, 4] }],
  unmatchedRank: 0x3fff_ffff,
  exceptions: {
    quarantined: { mac: [], v4: [], v6: [] },
    direct: { mac: [], v4: [], v6: [] },
    allowed: { mac4: [], mac6: [], v4: [], v6: [] },
  },
};
const nowMs = Date.UTC(2030, 0, 1);

test("the first load of the steering table", () =>
  expect(renderTransaction(steering(ruleset, 1), { holders: [], chains: [] }, nowMs)).toMatchFileSnapshot(
    golden("first.nft"),
  ));

test("a load over an older generation takes along what belonged to it", () => {
  const standing = {
    holders: ["mac_rank", "canary_1", "moving_1", "source4_eth9"],
    chains: ["classify", "split_9", "source_eth9"],
  };
  const text = renderTransaction(steering({ ...ruleset, splits: [] }, 2), standing, nowMs);
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
      mac4: [until("02:00:00:00:00:02 . 203.0.113.0-203.0.113.255", 30)],
      mac6: [],
      v4: [],
      v6: [until("fd00::7 . 2001:db8::1", 30)],
    },
  };
  return expect(
    renderTransaction(steering({ ...ruleset, exceptions }, 1), { holders: [], chains: [] }, nowMs),
  ).toMatchFileSnapshot(golden("exceptions.nft"));
});

test("the guard", () =>
  expect(
    renderGuard({
      lan: ["lan0"],
      wan: "wan0",
      pairs: [
        { egress: 1, interface: "wan0" },
        { egress: 2, interface: "wg0" },
      ],
    }),
  ).toMatchFileSnapshot(golden("guard.nft")));

test("the masquerade", () => expect(renderNat(["lan0", "lan1"])).toMatchFileSnapshot(golden("nat.nft")));

test("interface names that nft could not read keep apart", () => {
  expect(new Set(["lan0.10", "lan0-10", "lan0_10", "lan010"].map(encoded)).size).toBe(4);
});
