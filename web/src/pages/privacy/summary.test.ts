import { expect, test } from "vitest";
import { stateOfSummary, summaryOf } from "./summary.ts";

const calm = { protected: 3, blocked: 1, direct: 0, leaking: 0, unknown: 0 };

test.each([
  ["no-leak", {}, "no-leak", "protected"],
  ["at risk", { direct: 1 }, "at-risk", "direct"],
  ["leaking", { leaking: 1 }, "leaking", "leaking"],
  // The gateway itself.
  ["leaking", {}, "leaking", "leaking"],
  ["never checked", {}, null, "unknown"],
  ["never checked", { direct: 1 }, null, "direct"],
  ["some direct", { direct: 2 }, "no-leak", "direct"],
  ["leaking", { direct: 2, leaking: 1 }, "at-risk", "leaking"],
  // By a policy whose hops are down: no check had to find it.
  ["leaking", { leaking: 1 }, null, "leaking"],
  ["no devices", { protected: 0, blocked: 0 }, "no-leak", "unknown"],
] as const)("privacy summary: %s of %o after a check with verdict %s", (kind, counts, last_verdict, state) => {
  const summary = summaryOf({ ...calm, ...counts }, { last_verdict, devices: [{ verdict: "no-leak" }] });
  expect([summary.kind, stateOfSummary(summary)]).toEqual([kind, state]);
});

test("privacy summary: not all checked while one device was not checked", () => {
  const devices = [{ verdict: "no-leak" }, { verdict: "unchecked" }] as const;
  const summary = summaryOf(calm, { last_verdict: "no-leak", devices });
  expect([summary.kind, stateOfSummary(summary)]).toEqual(["not all checked", "unknown"]);
});
