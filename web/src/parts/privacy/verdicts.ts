import type { CheckedDevice, LeakCheck, LeakFinding, PrivacyStatus } from "@portcullis/contract/subsystems/privacy";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import type { StateName } from "../../kit/state.tsx";

/** A device with how it stands and what holds for it. */
export type PrivacyOfDevice = PrivacyStatus["devices"][number];
type LeakVerdict = PrivacyOfDevice["verdict"];

/** What is at risk leaks not yet: red is kept for what does. */
export const stateOfVerdict: Readonly<Record<LeakVerdict, StateName>> = {
  tight: "protected",
  leaking: "leaking",
  "at-risk": "direct",
  direct: "direct",
  unchecked: "unknown",
};

/** Policies that name hops and let everything out without them: they are down. */
export const fallenPolicies = (
  egress: readonly Pick<TunnelEgress, "policy_id" | "outcome" | "hops">[],
): ReadonlySet<string> =>
  new Set(
    egress.filter(({ outcome, hops }) => outcome === "direct" && hops.length > 0).map(({ policy_id }) => policy_id),
  );

/**
 * How a device stands, in the word people see. A leak that was found comes before what was meant, and who is let go
 * because hops are down is not direct by choice.
 */
export function stateOfDevice(
  { posture, verdict, policy_id }: Pick<PrivacyOfDevice, "posture" | "verdict" | "policy_id">,
  fallen: ReadonlySet<string>,
): StateName {
  if (verdict === "leaking") return "leaking";
  if (posture !== "exposed") return posture;
  return policy_id !== null && fallen.has(policy_id) ? "leaking" : "direct";
}

/** Several findings of one cause, told together. */
export interface CauseFound extends Pick<LeakFinding, "cause" | "severity" | "evidence"> {
  readonly messages: readonly string[];
}

export function byCause(findings: readonly LeakFinding[]): CauseFound[] {
  const groups = Map.groupBy(findings, ({ cause, severity }) => `${severity} ${cause}`);
  return [...groups.values()].map((of) => ({
    cause: of[0]!.cause,
    severity: of[0]!.severity,
    messages: [...new Set(of.map(({ message }) => message))],
    evidence: of.flatMap(({ evidence }) => evidence),
  }));
}

/** Whom a check speaks of. */
export interface CheckSummary {
  /** Those of whom something was found that nobody asked for, the worst first. */
  readonly found: readonly CheckedDevice[];
  /** How many go direct by choice. */
  readonly direct: number;
}

const unwanted: readonly LeakVerdict[] = ["leaking", "at-risk"];

export function summaryOfCheck({ devices }: Pick<LeakCheck, "devices">): CheckSummary {
  const weight = ({ verdict }: CheckedDevice): number => unwanted.indexOf(verdict);
  return {
    found: devices
      .filter(({ verdict }) => unwanted.includes(verdict))
      .toSorted((a, b) => weight(a) - weight(b) || a.name.localeCompare(b.name)),
    direct: devices.filter(({ verdict }) => verdict === "direct").length,
  };
}
