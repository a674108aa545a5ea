import { expect, test } from "vitest";
import { staleDomains } from "./cache-invalidation.ts";

const front = { isResolving: true, isRebindingProtected: true, rebindable: ["nas.example"], conditional: [] };
const validator = { isValidating: true, anchors: [". IN DS 1 8 2 AA"] };
const standing = { zones: [{ name: "home" }], frontends: [front], validators: [validator] };
const pool = { rotation: "failover", servers: [] } as const;

test("what is as it was outdates nothing", () => {
  expect(staleDomains(standing, structuredClone(standing))).toEqual([]);
});

test("domains that others answer now, or that may lead elsewhere, are outdated", () => {
  const now = (change: object) => staleDomains(standing, { ...standing, ...change });
  expect(now({ zones: [] })).toEqual(["home"]);
  expect(now({ zones: [{ name: "home", serial: 2 }] })).toEqual(["home"]);
  expect(now({ frontends: [{ ...front, rebindable: ["router.example"] }] })).toEqual(["nas.example", "router.example"]);
  expect(now({ frontends: [{ ...front, conditional: [{ domain: "corp", pool }] }] })).toEqual(["corp"]);
});

test("who believes more or less than before has nothing to remember", () => {
  const now = (change: object) => staleDomains(standing, { ...standing, ...change });
  expect(now({ validators: [{ ...validator, isValidating: false }] })).toBe("all");
  expect(now({ validators: [{ ...validator, anchors: [] }] })).toBe("all");
  expect(now({ frontends: [{ ...front, isRebindingProtected: false }] })).toBe("all");
});
