import { explainedAs, literal } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { type Compiled, isSuperseded } from "./check.ts";

const state = (over: object = {}, { revision = 7, up = true } = {}) =>
  ({
    revision,
    intent: { network: { wan: "wan0" }, exceptions: [] },
    facts: { hops: [{ interface: "t1", up }] },
    desired: { guard: { pairs: [] }, sysctl: { forward: "1" }, ...over },
  }) as unknown as Compiled;
const nothing = [{ findings: [] }];
const found = (cause: "seen-outside" | "wrong-route") => [
  { findings: [{ cause, severity: "leak" as const, ...explainedAs("message", literal("")), evidence: [] }] },
];

test("leak check: counts while the compiled state stays equal, also when it is compiled again", () => {
  expect(isSuperseded(state(), state(), nothing)).toBe(false);
  expect(isSuperseded(state(), state(), found("wrong-route"))).toBe(false);
});

test("leak check: with other compiled rules only a packet seen outside counts", () => {
  const changed = state({ sysctl: { forward: "0" } });
  expect(isSuperseded(state(), changed, found("wrong-route"))).toBe(true);
  expect(isSuperseded(state(), changed, nothing)).toBe(true);
  expect(isSuperseded(state(), changed, found("seen-outside"))).toBe(false);
});

test("leak check: with another revision or another usable hop not even a packet seen outside counts", () => {
  for (const after of [state({}, { revision: 8 }), state({}, { up: false }), undefined])
    expect(isSuperseded(state(), after, found("seen-outside"))).toBe(true);
});
