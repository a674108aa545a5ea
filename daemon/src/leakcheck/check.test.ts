import { expect, test } from "vitest";
import { type Compiled, isOvertaken } from "./check.ts";

const state = (over: object = {}, { revision = 7, up = true } = {}) =>
  ({
    revision,
    intent: { network: { wan: "wan0" }, exceptions: [] },
    facts: { hops: [{ interface: "t1", up }] },
    desired: { guard: { pairs: [] }, sysctl: { forward: "1" }, ...over },
  }) as unknown as Compiled;
const nothing = [{ findings: [] }];
const found = (cause: "seen-outside" | "wrong-route") => [
  { findings: [{ cause, severity: "leak" as const, message: "", evidence: [] }] },
];

test("a check holds as long as what should stand says the same, be it compiled anew", () => {
  expect(isOvertaken(state(), state(), nothing)).toBe(false);
  expect(isOvertaken(state(), state(), found("wrong-route"))).toBe(false);
});

test("where something else should stand, what the kernel has proves nothing, and a packet outside does", () => {
  const changed = state({ sysctl: { forward: "0" } });
  expect(isOvertaken(state(), changed, found("wrong-route"))).toBe(true);
  expect(isOvertaken(state(), changed, nothing)).toBe(true);
  expect(isOvertaken(state(), changed, found("seen-outside"))).toBe(false);
});

test("where somebody's way is another one, not even a packet does", () => {
  for (const after of [state({}, { revision: 8 }), state({}, { up: false }), undefined])
    expect(isOvertaken(state(), after, found("seen-outside"))).toBe(true);
});
