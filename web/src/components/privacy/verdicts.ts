import type { CheckedDevice, LeakCheck, LeakFinding, PrivacyStatus } from "@portcullis/contract/subsystems/privacy";
import type { StateName } from "../../ui/state.tsx";

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

/** The state of a device. A leak that was found comes before what its policy says. */
export function stateOfDevice({ posture, verdict }: Pick<PrivacyOfDevice, "posture" | "verdict">): StateName {
  if (verdict === "leaking") return "leaking";
  return posture === "exposed" ? "direct" : posture;
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
