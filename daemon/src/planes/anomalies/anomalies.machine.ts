import type { Reason } from "@portcullis/contract/reason";
import type { AnomalyKind } from "@portcullis/contract/subsystems/anomalies";
import type { Evidence, Finding } from "./finding.ts";

export interface StoredAnomaly {
  readonly id: string;
  /** In order of detection. */
  readonly number: number;
  readonly device: string;
  readonly kind: AnomalyKind;
  readonly cause: string;
  readonly score: number;
  readonly reason: Reason;
  readonly evidence: Evidence;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly endedMs: number | null;
}

interface Situation {
  /** The latest anomaly of the same cause. */
  readonly latest: StoredAnomaly | undefined;
  readonly device: string;
  readonly finding: Finding;
  readonly atMs: number;
  readonly created: () => { readonly id: string; readonly number: number };
}

/** One cause is one anomaly: a finding continues it, makes it open again, or is the first of a new one. */
export function onFinding({ latest, device, finding, atMs, created }: Situation): {
  readonly anomaly: StoredAnomaly;
  readonly isDetected: boolean;
} {
  const { kind, cause, score, reason, evidence } = finding;
  if (!latest || (latest.endedMs !== null && atMs - latest.endedMs > reopenedMs))
    return {
      anomaly: {
        ...created(),
        device,
        kind,
        cause,
        score,
        reason,
        evidence,
        firstMs: atMs,
        lastMs: atMs,
        endedMs: null,
      },
      isDetected: true,
    };
  const strongest = score >= latest.score ? { score, reason, evidence } : {};
  return {
    anomaly: { ...latest, ...strongest, lastMs: Math.max(latest.lastMs, atMs), endedMs: null },
    isDetected: latest.endedMs !== null,
  };
}

/** It was not observed for so long that it is over. Beacons and visits to a country have long intervals. */
export const isOver = ({ kind, lastMs, endedMs }: StoredAnomaly, atMs: number): boolean =>
  endedMs === null && atMs - lastMs > (kind === "beaconing" || kind === "new_country" ? dayMs : quietMs);

/** Whether an open anomaly of the device explains the finding already. */
export const isExplained = (kind: AnomalyKind, isOpen: (kind: AnomalyKind) => boolean): boolean =>
  (kind === "query_rate" && isOpen("dns_tunnelling")) || (kind === "unusual_hours" && isOpen("exfiltration"));

export const causeKey = (device: string, kind: AnomalyKind, cause: string): string => `${device} ${kind} ${cause}`;

const dayMs = 86_400_000;
const quietMs = dayMs / 4;
const reopenedMs = dayMs;
