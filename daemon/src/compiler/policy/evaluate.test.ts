import { because } from "@portcullis/contract/reason";
import { type Address, parseAddress } from "../../net/addresses.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { evaluate, matches } from "./evaluate.ts";
import type { Intent, IntentDevice, IntentException } from "../input/intent.ts";
import { anyIntent as intent, anyPacket as packet, factsOfAny as facts } from "../../../../testing/random-policies.ts";
import type { Packet } from "./packet.ts";

/** The first match wins, computed without tables and ranks. */
function firstMatch(it: Intent, at: Packet): string {
  const { ranked } = decide(it, facts);
  const matching = ranked.filter((candidate) => matches(candidate, at, it, facts));
  const decider = matching.find(({ outcome }) => outcome.kind !== "pass");
  if (decider) return JSON.stringify(decider.outcome);
  if (matching.length > 0) return "blocked: all failed over";
  const isSender = ({ mac, ips }: IntentDevice) =>
    mac === null ? ips.some((ip) => at.source !== undefined && isSame(parseAddress(ip)!, at.source)) : mac === at.mac;
  const demands = it.devices.some((device) => device.requiresTunnel && isSender(device));
  return demands ? "blocked: tunnel required" : it.network.defaultEgress;
}
const isSame = (a: Address, b: Address) => a.family === b.family && a.value === b.value;

function byTables(it: Intent, at: Packet): string {
  const verdict = evaluate(at, decide(it, facts), it, facts);
  if (verdict.policyId !== undefined) return JSON.stringify(verdict.outcome);
  if (verdict.outcome.reason.code === "failed_over") return "blocked: all failed over";
  if (verdict.outcome.reason.code === "tunnel_required") return "blocked: tunnel required";
  return verdict.outcome.kind;
}

test("evaluate: the tables decide as the first matching policy", () =>
  fc.assert(
    fc.property(intent, packet, (it, at) => {
      expect(byTables(it, at)).toBe(firstMatch(it, at));
    }),
    { numRuns: 5000 },
  ));

test("evaluate: the trace ends with the policy that decided, and no earlier policy decided", () =>
  fc.assert(
    fc.property(intent, packet, (it, at) => {
      const { policyId, trace } = evaluate(at, decide(it, facts), it, facts);
      if (policyId === undefined) return;
      expect(trace.at(-1)).toMatchObject({ policyId, matched: true, decided: true });
      const earlier = trace.slice(0, -1).filter(({ matched }) => matched);
      expect(earlier.every(({ reason }) => reason.code === "fails_over")).toBe(true);
    }),
  ));

test("evaluate: packets from outside the LAN are blocked, whatever policies and exceptions exist", () => {
  const bypass: IntentException = {
    id: "bypass",
    type: "emergency-bypass",
    effect: "direct",
    deviceId: "d1",
    mac: "02:00:00:00:00:01",
    ips: [],
    destinations: [],
    untilMs: null,
  };
  fc.assert(
    fc.property(intent, packet, fc.constantFrom("wan0", "wg0", "eth9"), (it, at, name) => {
      const excepted = { ...it, exceptions: [bypass] };
      expect(evaluate({ ...at, interface: name }, decide(excepted, facts), excepted, facts)).toEqual({
        outcome: { kind: "block", reason: because("outside_lan", { interface: name }) },
        trace: [],
      });
    }),
  );
});
