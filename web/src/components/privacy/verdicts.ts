import type { Explained } from "@portcullis/contract/reason";
import type { CheckedDevice, LeakCheck, LeakFinding, PrivacyStatus } from "@portcullis/contract/subsystems/privacy";
import type { StateName } from "../../ui/state.tsx";
import { reasonIn } from "../../i18n/reason.ts";

/** A device with its posture and its effective controls. */
export type PrivacyOfDevice = PrivacyStatus["devices"][number];
type LeakVerdict = PrivacyOfDevice["verdict"];

/** A risk is no leak yet: red is reserved for leaks. */
export const stateOfVerdict: Readonly<Record<LeakVerdict, StateName>> = {
  "no-leak": "protected",
  leaking: "leaking",
  "at-risk": "direct",
  direct: "direct",
  unchecked: "unknown",
};

/** The state of a device. A found leak takes precedence over its policy. */
export function stateOfDevice({ posture, verdict }: Pick<PrivacyOfDevice, "posture" | "verdict">): StateName {
  if (verdict === "leaking") return "leaking";
  return posture === "exposed" ? "direct" : posture;
}

/** Whether the last check found a leak that belongs to no device: of the gateway itself. */
export const isGatewayLeaking = (last: PrivacyStatus["last_verdict"], leaking: readonly unknown[]): boolean =>
  last === "leaking" && leaking.length === 0;

/** Findings of one cause. */
export interface CauseFound extends Pick<LeakFinding, "cause" | "severity" | "evidence"> {
  /** Each once. */
  readonly messages: readonly Explained[];
}

export function byCause(findings: readonly LeakFinding[]): CauseFound[] {
  const groups = Map.groupBy(findings, ({ cause, severity }) => `${severity} ${cause}`);
  return [...groups.values()].map((of) => ({
    cause: of[0]!.cause,
    severity: of[0]!.severity,
    messages: [...new Map(of.map((it) => [it.message, reasonIn("message", it)])).values()],
    evidence: of.flatMap(({ evidence }) => evidence),
  }));
}

/** The verdict of a check as it is shown: a check of no device has found no leak, and has measured nothing. */
export const shownVerdict = ({ verdict, devices, discarded }: Pick<LeakCheck, "verdict" | "devices" | "discarded">) =>
  discarded || (verdict === "no-leak" && devices.length === 0) ? "unchecked" : verdict;

/** The devices of a check. */
export interface CheckSummary {
  /** Devices with findings that are not by choice, the worst first. */
  readonly found: readonly CheckedDevice[];
  /** Number of devices that are direct by choice. */
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
