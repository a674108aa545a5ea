import { expect, test } from "vitest";
import { compiledFrom } from "../../../../../testing/compiled.ts";
import { policy } from "../../../../../testing/intent.ts";
import type { Intent } from "../../../compiler/input/intent.ts";
import type { Ruleset } from "../nftables.model.ts";
import { differenceOf } from "./steering.diff.ts";
import { steering } from "./steering.render.ts";
import { renderTransactions } from "./transaction.render.ts";

const window = { scheduleId: "nights", fromMs: 60_000, untilMs: 120_000, untilUptimeSec: 500 };
const tv = { id: "tv", mac: "02:00:00:00:00:01", ips: [], groupIds: [], requiresTunnel: false };
const policies = [
  policy("tv", { sourceType: "device", sourceValue: "tv", scheduleId: "nights" }),
  policy("guests", { sourceType: "subnet", sourceValue: "10.0.0.0/24", scheduleId: "nights" }),
];
const rulesetOf = (over: Partial<Intent>): Ruleset => compiledFrom({ devices: [tv], ...over }).desired.steering;
const withWindow = rulesetOf({ windows: [{ ...window, policies }] });
const chain = (ruleset: Ruleset, name: string): readonly string[] =>
  steering(ruleset, 1).chains.find((it) => it.name === name)?.rules ?? [];

test("windows: none costs a packet nothing", () => {
  const { sets, chains } = steering(rulesetOf({}), 1);
  expect([...sets, ...chains].filter(({ name }) => /window|scheduled|over_|lapsed/.test(name))).toEqual([]);
  expect(chain(rulesetOf({}), "prerouting").join()).not.toContain("meta time");
});

test("windows: a packet is checked before its connection is, by the monotonic clock and by the wall clock", () => {
  const rules = chain(withWindow, "prerouting");
  const connection = rules.findIndex((rule) => rule.includes("ct direction original"));
  expect(rules.slice(1, connection)).toEqual(["iifname != @window_1 jump over_1", "meta time != 60-120 jump over_1"]);
});

test("windows: outside of one, the packets of its policies are blocked, and those of the first seconds only dropped", () => {
  const rules = chain(withWindow, "over_1");
  expect(rules[0]).toBe("ether saddr @scheduled_mac_1 goto lapsed_1");
  expect(rules[1]).toMatch(/^ip saddr @scheduled_from4_1_\d+ goto lapsed_1$/);
  expect(rules).toHaveLength(2);
  expect(chain(withWindow, "lapsed_1").slice(-2)).toEqual(["meta time 120-130 drop", "goto blocked"]);
});

test("windows: the elements end two seconds after the wall clock's end, and are written again for another monotonic end", () => {
  const [first, nowMs] = [steering(withWindow, 1), 70_000];
  const [, text] = renderTransactions(first, differenceOf(undefined, first), { sets: [], chains: [] }, nowMs);
  expect(text).toContain(`"lan0" timeout 52000ms comment "schedule nights, until 500 s after the start"`);
  const week = { ...withWindow.windows![0]!, untilSec: 70 + 7 * 86_400 };
  const long = steering({ ...withWindow, windows: [week] }, 1);
  expect(renderTransactions(long, differenceOf(undefined, long), { sets: [], chains: [] }, nowMs + 1)[1]).toContain(
    `"lan0" timeout 604801s999ms comment`,
  );
  const set = rulesetOf({ windows: [{ ...window, untilUptimeSec: 400, policies }] });
  const next = steering({ ...withWindow, windows: set.windows! }, 2, first);
  const { updates, isNothing } = differenceOf(first, next);
  expect([isNothing, updates.filter((it) => !it.set.isPerGeneration).map((it) => it.set.name)]).toEqual([
    false,
    ["window_1"],
  ]);
  const same = steering({ ...withWindow, windows: [...withWindow.windows!] }, 2, first);
  expect(differenceOf(first, same).isNothing).toBe(true);
});
