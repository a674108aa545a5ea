import { expect, test } from "vitest";
import { staleDomains } from "./cache-invalidation.ts";

const front = { isResolving: true, isRebindingProtected: true, rebindable: ["nas.example"], conditional: [] };
const validator = { isValidating: true, anchors: [". IN DS 1 8 2 AA"] };
const standing = { zones: [{ name: "home" }], frontends: [front], validators: [validator] };
const pool = { rotation: "failover", servers: [] } as const;

test("DNS cache: an unchanged configuration makes no domain stale", () => {
  expect(staleDomains(standing, structuredClone(standing))).toEqual([]);
});

test("DNS cache: domains with other servers, or with other rebinding exceptions, are stale", () => {
  const now = (change: object) => staleDomains(standing, { ...standing, ...change });
  expect(now({ zones: [] })).toEqual(["home"]);
  expect(now({ zones: [{ name: "home", serial: 2 }] })).toEqual(["home"]);
  expect(now({ frontends: [{ ...front, rebindable: ["router.example"] }] })).toEqual(["nas.example", "router.example"]);
  expect(now({ frontends: [{ ...front, conditional: [{ domain: "corp", pool }] }] })).toEqual(["corp"]);
});

test("DNS cache: a change of validation or rebinding protection makes everything stale", () => {
  const now = (change: object) => staleDomains(standing, { ...standing, ...change });
  expect(now({ validators: [{ ...validator, isValidating: false }] })).toBe("all");
  expect(now({ validators: [{ ...validator, anchors: [] }] })).toBe("all");
  expect(now({ frontends: [{ ...front, isRebindingProtected: false }] })).toBe("all");
});
