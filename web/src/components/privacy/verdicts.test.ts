import { explainedAs, literal, valueAs } from "@portcullis/contract/reason";
import type { CheckedDevice, LeakFinding } from "@portcullis/contract/subsystems/privacy";
import { expect, test } from "vitest";
import {
  byCause,
  isGatewayLeaking,
  type PrivacyOfDevice,
  shownVerdict,
  stateOfDevice,
  summaryOfCheck,
} from "./verdicts.ts";

test("device state: a found leak takes precedence over the policy; a fallback that the policy allows is direct", () => {
  const state = (posture: PrivacyOfDevice["posture"], verdict: PrivacyOfDevice["verdict"]) =>
    stateOfDevice({ posture, verdict });
  expect(state("protected", "leaking")).toBe("leaking");
  // Its IPv6 leaks, and its IPv4 is direct by policy.
  expect(state("exposed", "leaking")).toBe("leaking");
  expect(state("exposed", "direct")).toBe("direct");
  expect(state("exposed", "unchecked")).toBe("direct");
  expect(state("blocked", "unchecked")).toBe("blocked");
  expect(state("protected", "at-risk")).toBe("protected");
});

test("gateway: leaks if the last check found a leak and no device leaks", () => {
  expect(isGatewayLeaking("leaking", [])).toBe(true);
  expect(isGatewayLeaking("leaking", [{}])).toBe(false);
  for (const verdict of ["no-leak", "at-risk", null] as const) expect(isGatewayLeaking(verdict, [])).toBe(false);
});

const finding = (cause: LeakFinding["cause"], severity: LeakFinding["severity"] = "leak"): LeakFinding => ({
  cause,
  severity,
  ...explainedAs("message", literal("")),
  evidence: [],
});
const checked = (name: string, verdict: CheckedDevice["verdict"]): CheckedDevice => ({
  device_id: name,
  name,
  posture: "protected",
  verdict,
  findings: [],
  evidence: [],
});

test("check: one of no device is not shown as passed, and its findings about the gateway are", () => {
  const shown = (verdict: "no-leak" | "leaking", devices: CheckedDevice[], discarded = false) =>
    shownVerdict({ verdict, devices, discarded });
  expect(shown("no-leak", [checked("a", "no-leak")])).toBe("no-leak");
  expect(shown("no-leak", [])).toBe("unchecked");
  expect(shown("leaking", [])).toBe("leaking");
  expect(shown("leaking", [checked("a", "leaking")], true)).toBe("unchecked");
});

test("findings: leaks first, then risks; direct by choice is no finding", () => {
  const devices = [
    checked("a", "no-leak"),
    checked("b", "at-risk"),
    checked("d", "leaking"),
    checked("c", "leaking"),
    checked("e", "direct"),
  ];
  const { found, direct } = summaryOfCheck({ devices });
  expect(found.map(({ name }) => name)).toEqual(["c", "d", "b"]);
  expect(direct).toBe(1);
});

test("findings: grouped by cause, in order of occurrence", () => {
  const evidence = (what: string) => [
    { ...explainedAs("what", literal(what)), ...valueAs("expected", literal("")), ...valueAs("found", literal("")) },
  ];
  const all = [
    { ...finding("wrong-route"), ...explainedAs("message", literal("one")), evidence: evidence("a") },
    { ...finding("kernel-settings", "risk"), ...explainedAs("message", literal("two")) },
    { ...finding("wrong-route"), ...explainedAs("message", literal("one")), evidence: evidence("b") },
    { ...finding("wrong-route", "risk"), ...explainedAs("message", literal("three")) },
  ];
  expect(
    byCause(all).map(({ cause, severity, messages, evidence: of }) => [
      cause,
      severity,
      messages.map(({ reason }) => reason),
      of.length,
    ]),
  ).toEqual([
    ["wrong-route", "leak", ["one"], 2],
    ["kernel-settings", "risk", ["two"], 0],
    ["wrong-route", "risk", ["three"], 0],
  ]);
});
