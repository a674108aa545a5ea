import type { Reason } from "@portcullis/contract/reason";

/** A program that runs as long as an engine wants it, also while the daemon does not run. */
export interface ProcessSpec {
  /** Unique among all processes; it becomes a file name. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Read once, at the start: keys are never written to a disk. */
  readonly stdin: string;
  /** Files in memory that are open from descriptor 3 on. */
  readonly files?: readonly Uint8Array[];
}

/** The observed state of a process. */
export interface ProcessState {
  readonly name: string;
  /** Of its specification. */
  readonly digest: string;
  readonly condition:
    | { readonly kind: "running"; readonly processId: number }
    /** It ended, and may be started again. */
    | { readonly kind: "restartable" }
    | { readonly kind: "backoff"; readonly untilMs: number };
  /** Ends in a row after a short run. */
  readonly crashes: number;
  /** The last lines of its output, or how it ended; null if it never ended. */
  readonly reason: Reason | null;
}
