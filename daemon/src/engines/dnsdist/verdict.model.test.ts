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
const bookOf = (...layers: Layer[]): FilterPolicy => ({
  isFiltering: true,
  clients: [],
  others: { layers: layers.map(({ number }) => number), lists: 0xffff_ffff, log: "full" },
  layers,
  lists: [0, 1, 31].map((bit) => ({ id: `list${bit}`, name: "", bit })),
  routes: [],
});
const nothing = (): undefined => undefined;
const said = (book: FilterPolicy, name: string): string => told(verdictOf(book, nothing, "192.0.2.1", name));
const told = (it: Verdict): string => (it.kind === "none" ? "none" : it.by.kind === "rule" ? it.by.cause : it.by.id);

test("exact is that name, suffix also those below, wildcard only those", () => {
  const book = bookOf(
    layer(1, rule("exact", "a.test", block), rule("suffix", "b.test", block), rule("wildcard", "c.test", block)),
  );
  const names = ["a.test", "x.a.test", "b.test", "x.b.test", "xb.test", "c.test", "x.c.test", "y.x.C.Test.", "test"];
  expect(names.filter((name) => said(book, name) !== "none")).toEqual([
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
        expect(said(bookOf(layer(1, ...rules)), name)).toBe(strongest);
      },
    ),
  ));

test("the longer name decides, whatever it says", () => {
  const book = bookOf(layer(1, rule("suffix", "test", allow), rule("wildcard", "a.test", block)));
  expect([said(book, "x.a.test"), said(book, "a.test")]).toEqual(["block wildcard a.test", "allow suffix test"]);
});

test("a regular expression speaks only where no name does", () => {
  const book = bookOf(layer(1, rule("regex", "^ads", allow), rule("suffix", "a.test", block)));
  expect([said(book, "ads.a.test"), said(book, "ads.b.test")]).toEqual(["block suffix a.test", "allow regex ^ads"]);
});

test("rewrites of one name are one, in the first one's name", () => {
  const rules = [rewrite(["192.0.2.1"]), rewrite(["192.0.2.2", "192.0.2.1"], "b.test")];
  const book = bookOf(layer(1, ...rules.map((action, at) => rule("exact", "a.test", action, `number ${at}`))));
  expect(verdictOf(book, nothing, "192.0.2.1", "a.test")).toEqual({
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

test("the narrowest network speaks for an address", () => {
  const blocks = ["0.0.0.0/0", "10.0.0.0/8", "10.1.0.0/16", "10.1.0.7", "fd00::/8", "fd00::7"];
  const book = {
    ...bookOf(...blocks.map((network, at) => layer(at, rule("suffix", "test", block, network)))),
    clients: blocks.map((network, at) => ({ network, layers: [at], lists: 0, log: "full" as const })),
    others: { layers: [], lists: 0, log: "full" as const },
  };
  const addresses = ["10.1.0.7", "10.1.9.7", "10.2.0.7", "192.0.2.1", "fd00::7", "FD00:0::8", "fe80::1", "what?"];
  const evaluate = evaluator(book, nothing);
  expect(addresses.map((address) => told(evaluate(address, "a.test")))).toEqual([
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

test("lists are asked last; those that let through are stronger, and the lowest bit is named", () => {
  const lists = new Map([
    ["ads.test", listed({ exact: 0x8000_0002, below: 0x8000_0000 })],
    ["good.ads.test", listed({ allowExact: 1 })],
    ["mine.test", listed({ exact: 1 })],
  ]);
  const book = bookOf(layer(1, rule("exact", "mine.test", allow)));
  const names = ["ads.test", "x.ads.test", "good.ads.test", "x.good.ads.test", "mine.test", "other.test"];
  const verdicts = names.map((name) => verdictOf(book, (it) => lists.get(it), "192.0.2.1", name));
  expect(verdicts.map((it) => `${it.kind} ${told(it)}`)).toEqual([
    "block list1",
    "block list31",
    "allow list0",
    "block list31",
    "allow allow exact mine.test",
    "none none",
  ]);
});

test("without filtering nothing is said of any name", () =>
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (start) => {
      const dice = randomChoices(randomFrom(start));
      const { policy, listed: lists } = randomFilterPolicy(dice);
      const evaluate = evaluator({ ...policy, isFiltering: false }, (name) => lists.get(name));
      expect(evaluate(randomAddress(dice), randomName(dice))).toEqual({ kind: "none" });
    }),
  ));

test("a target that is blocked takes the answer with it, unless the question was let through", () => {
  const evaluate = evaluator(
    bookOf(
      layer(
        1,
        rule("suffix", "bad.test", block),
        rule("exact", "good.test", allow),
        rule("exact", "led.test", { kind: "rewrite", v4: [], v6: [], cname: "a.bad.test" }),
      ),
    ),
    nothing,
  );
  const asked = (name: string, ...targets: string[]) => answerVerdict(evaluate, "192.0.2.1", name, targets).kind;
  expect(asked("x.test", "y.test", "a.bad.test")).toBe("block");
  expect(asked("good.test", "y.test", "a.bad.test")).toBe("allow");
  expect(asked("x.test", "y.test", "good.test")).toBe("none");
  expect(asked("led.test", "a.bad.test")).toBe("block");
  expect(asked("led.test")).toBe("rewrite");
});

test("the same book gives the same bytes, and another one others", () =>
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
