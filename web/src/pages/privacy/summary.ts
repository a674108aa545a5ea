import type { PrivacyStatus } from "@portcullis/contract/subsystems/privacy";
import type { StateName } from "../../ui/state.tsx";

/** The verdict of the page, as data. */
export interface Summary {
  readonly kind: "no devices" | "leaking" | "never checked" | "not all checked" | "at risk" | "some direct" | "no-leak";
  readonly leaking: number;
  readonly exposed: number;
  readonly all: number;
}

interface Checked extends Pick<PrivacyStatus, "last_verdict"> {
  readonly devices: readonly Pick<PrivacyStatus["devices"][number], "verdict">[];
}

/** The worst condition decides. Without a check of every device the kind is not no-leak. */
export function summaryOf(
  { protected: behind, blocked, direct: exposed, leaking, unknown }: Readonly<Record<StateName, number>>,
  { last_verdict, devices }: Checked,
): Summary {
  const counts = { leaking, exposed, all: behind + blocked + exposed + leaking + unknown };
  if (leaking > 0 || last_verdict === "leaking") return { kind: "leaking", ...counts };
  if (counts.all === 0) return { kind: "no devices", ...counts };
  if (last_verdict === null) return { kind: "never checked", ...counts };
  if (last_verdict === "at-risk") return { kind: "at risk", ...counts };
  if (devices.some(({ verdict }) => verdict === "unchecked")) return { kind: "not all checked", ...counts };
  return { kind: exposed > 0 ? "some direct" : "no-leak", ...counts };
}

export function stateOfSummary({ kind, exposed }: Summary): StateName {
  if (kind === "leaking") return "leaking";
  if (kind === "no-leak") return "protected";
  return kind === "at risk" || exposed > 0 ? "direct" : "unknown";
}
