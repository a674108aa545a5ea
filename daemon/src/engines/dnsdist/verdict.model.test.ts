import fc from "fast-check";
import { expect, test } from "vitest";
import {
  randomChoices,
  randomAddress,
  randomFilterPolicy,
  randomName,
} from "../../../../testing/random-filter-policies.ts";
import { announceSeed, randomFrom } from "../../../../testing/seed.ts";
import type { Action, FilterPolicy, Layer, Listed, Match, Verdict } from "./filter-policy.model.ts";
import { renderFilterPolicy } from "./filter-policy.render.ts";
import { answerVerdict, evaluator, verdictOf } from "./verdict.model.ts";

announceSeed("verdicts");

const block: Action = { kind: "block" };
const allow: Action = { kind: "allow" };
const rewrite = (v4: readonly string[], cname: string | null = null): Action => ({
  kind: "rewrite",
  v4,
  v6: [],
  cname,
});
const rule = (kind: Match["kind"], name: string, action: Action, cause = `${action.kind} ${kind} ${name}`) => ({
  cause,
  match: kind === "regex" ? { kind, pattern: name } : { kind, name },
  action,
});
const layer = (number: number, ...rules: Layer["rules"]): Layer => ({ number, rules });
const policyOf = (...layers: Layer[]): FilterPolicy => ({
  isFiltering: true,
  clients: [],
  others: { layers: layers.map(({ number }) => number), lists: 0xffff_ffff, log: "full" },
  layers,
  lists: [0, 1, 31].map((bit) => ({ id: `list${bit}`, name: "", bit })),
  routes: [],
});
const nothing = (): undefined => undefined;
const causeFor = (policy: FilterPolicy, name: string): string => causeIn(verdictOf(policy, nothing, "192.0.2.1", name));
const causeIn = (it: Verdict): string => (it.kind === "none" ? "none" : it.by.kind === "rule" ? it.by.cause : it.by.id);

test("exact is that name, suffix also those below, wildcard only those", () => {
  const policy = policyOf(
    layer(1, rule("exact", "a.test", block), rule("suffix", "b.test", block), rule("wildcard", "c.test", block)),
  );
  const names = ["a.test", "x.a.test", "b.test", "x.b.test", "xb.test", "c.test", "x.c.test", "y.x.C.Test.", "test"];
  expect(names.filter((name) => causeFor(policy, name) !== "none")).toEqual([
    "a.test",
    "b.test",
    "x.b.test",
    "x.c.test",
    "y.x.C.Test.",
  ]);
});

test("what lets through is stronger than what rewrites, and that is stronger than what blocks", () =>
  fc.assert(
    fc.property(
      fc.shuffledSubarray(["allow", "rewrite", "block"] as const, { minLength: 2 }),
      fc.constantFrom("exact", "suffix", "wildcard", "regex"),
      (kinds, match) => {
        const actions = { allow, block, rewrite: rewrite(["192.0.2.7"]) };
        const rules = kinds.map((kind) => rule(match, "a.test", actions[kind], kind));
        const strongest = (["allow", "rewrite", "block"] as const).find((kind) => kinds.includes(kind));
        const name = match === "exact" ? "a.test" : "x.a.test";
        expect(causeFor(policyOf(layer(1, ...rules)), name)).toBe(strongest);
      },
    ),
  ));

test("the longer name decides, whatever it says", () => {
  const policy = policyOf(layer(1, rule("suffix", "test", allow), rule("wildcard", "a.test", block)));
  expect([causeFor(policy, "x.a.test"), causeFor(policy, "a.test")]).toEqual([
    "block wildcard a.test",
    "allow suffix test",
  ]);
});

test("verdict: a regular expression applies only where no name matches", () => {
  const policy = policyOf(layer(1, rule("regex", "^ads", allow), rule("suffix", "a.test", block)));
  expect([causeFor(policy, "ads.a.test"), causeFor(policy, "ads.b.test")]).toEqual([
    "block suffix a.test",
    "allow regex ^ads",
  ]);
});

test("rewrites of one name are one, in the first one's name", () => {
  const rules = [rewrite(["192.0.2.1"]), rewrite(["192.0.2.2", "192.0.2.1"], "b.test")];
  const policy = policyOf(layer(1, ...rules.map((action, at) => rule("exact", "a.test", action, `number ${at}`))));
  expect(verdictOf(policy, nothing, "192.0.2.1", "a.test")).toEqual({
    kind: "rewrite",
    by: { kind: "rule", cause: "number 0" },
    action: rewrite(["192.0.2.1", "192.0.2.2"], "b.test"),
  });
});

test("the first layer that knows a name decides, and the others need not be there", () =>
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (start) => {
      const dice = randomChoices(randomFrom(start));
      const { policy } = randomFilterPolicy(dice);
      const name = randomName(dice);
      const through = (layers: readonly number[]): Verdict =>
        verdictOf(
          { ...policy, clients: [], others: { ...policy.others, layers, lists: 0 } },
          nothing,
          "192.0.2.1",
          name,
        );
      const single = policy.others.layers.map((number) => through([number]));
      expect(through(policy.others.layers)).toEqual(single.find(({ kind }) => kind !== "none") ?? { kind: "none" });
    }),
  ));

test("verdict: the narrowest network applies to an address", () => {
  const blocks = ["0.0.0.0/0", "10.0.0.0/8", "10.1.0.0/16", "10.1.0.7", "fd00::/8", "fd00::7"];
  const policy = {
    ...policyOf(...blocks.map((network, at) => layer(at, rule("suffix", "test", block, network)))),
    clients: blocks.map((network, at) => ({ network, layers: [at], lists: 0, log: "full" as const })),
    others: { layers: [], lists: 0, log: "full" as const },
  };
  const addresses = ["10.1.0.7", "10.1.9.7", "10.2.0.7", "192.0.2.1", "fd00::7", "FD00:0::8", "fe80::1", "what?"];
  const evaluate = evaluator(policy, nothing);
  expect(addresses.map((address) => causeIn(evaluate(address, "a.test")))).toEqual([
    "10.1.0.7",
    "10.1.0.0/16",
    "10.0.0.0/8",
    "0.0.0.0/0",
    "fd00::7",
    "fd00::/8",
    "none",
    "none",
  ]);
});

const listed = (bits: Partial<Listed>): Listed => ({ exact: 0, below: 0, allowExact: 0, allowBelow: 0, ...bits });

test("verdict: lists apply last; allow lists are stronger, and the lowest bit is reported", () => {
  const lists = new Map([
    ["ads.test", listed({ exact: 0x8000_0002, below: 0x8000_0000 })],
    ["good.ads.test", listed({ allowExact: 1 })],
    ["mine.test", listed({ exact: 1 })],
  ]);
  const policy = policyOf(layer(1, rule("exact", "mine.test", allow)));
  const names = ["ads.test", "x.ads.test", "good.ads.test", "x.good.ads.test", "mine.test", "other.test"];
  const verdicts = names.map((name) => verdictOf(policy, (it) => lists.get(it), "192.0.2.1", name));
  expect(verdicts.map((it) => `${it.kind} ${causeIn(it)}`)).toEqual([
    "block list1",
    "block list31",
    "allow list0",
    "block list31",
    "allow allow exact mine.test",
    "none none",
  ]);
});

test("without filtering nothing is causeFor of any name", () =>
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (start) => {
      const dice = randomChoices(randomFrom(start));
      const { policy, listed: lists } = randomFilterPolicy(dice);
      const evaluate = evaluator({ ...policy, isFiltering: false }, (name) => lists.get(name));
      expect(evaluate(randomAddress(dice), randomName(dice))).toEqual({ kind: "none" });
    }),
  ));

test("verdict: a blocked target blocks the answer, unless the query was allowed", () => {
  const evaluate = evaluator(
    policyOf(
      layer(
        1,
        rule("suffix", "bad.test", block),
        rule("exact", "good.test", allow),
        rule("exact", "led.test", { kind: "rewrite", v4: [], v6: [], cname: "a.bad.test" }),
      ),
    ),
    nothing,
  );
  const verdict = (name: string, ...targets: string[]) => answerVerdict(evaluate, "192.0.2.1", name, targets).kind;
  expect(verdict("x.test", "y.test", "a.bad.test")).toBe("block");
  expect(verdict("good.test", "y.test", "a.bad.test")).toBe("allow");
  expect(verdict("x.test", "y.test", "good.test")).toBe("none");
  expect(verdict("led.test", "a.bad.test")).toBe("block");
  expect(verdict("led.test")).toBe("rewrite");
});

test("filter policy: equal policies give equal bytes, and others do not", () =>
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (start) => {
      const { policy } = randomFilterPolicy(randomChoices(randomFrom(start)));
      const { policy: again } = randomFilterPolicy(randomChoices(randomFrom(start)));
      expect(renderFilterPolicy(again)).toEqual(renderFilterPolicy(policy));
      const other = { ...policy, others: { ...policy.others, lists: policy.others.lists ^ 1 } };
      expect(renderFilterPolicy(other)).not.toEqual(renderFilterPolicy(policy));
    }),
    { numRuns: 30 },
  ));
