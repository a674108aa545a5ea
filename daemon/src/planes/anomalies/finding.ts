import type { Reason } from "@portcullis/contract/reason";
import type { AnomalyKind, AnomalyMeasure } from "@portcullis/contract/subsystems/anomalies";
import type { Thresholds } from "./thresholds.ts";

/** A deviation that is observed now. */
export interface Finding {
  readonly kind: AnomalyKind;
  /** Findings of a device with the same kind and cause are one anomaly. */
  readonly cause: string;
  readonly score: number;
  readonly reason: Reason;
  readonly evidence: Evidence;
}

export interface Evidence {
  readonly measures: readonly AnomalyMeasure[];
  readonly destinations: readonly string[];
  readonly domain: string | null;
  readonly country: string | null;
}

/** When, and by which limits. */
export interface Observation {
  readonly atMs: number;
  /** Whether the baseline is complete. Before, nothing is reported. */
  readonly isLearned: boolean;
  /** When it was complete. What was new before is part of it. */
  readonly learnedMs: number;
  readonly limits: Thresholds;
}

export const evidence = (measures: readonly AnomalyMeasure[], rest: Partial<Evidence> = {}): Evidence => ({
  measures,
  destinations: [],
  domain: null,
  country: null,
  ...rest,
});

export const mebibytes = (bytes: number): number => Math.round(bytes / 104_857.6) / 10;
export const rounded = (value: number, digits = 2): number => Math.round(value * 10 ** digits) / 10 ** digits;
