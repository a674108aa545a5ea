/** A program that runs for as long as somebody wants it, whether the daemon lives or not. */
export interface ProcessSpec {
  /** Unique among all children; it becomes a file name. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** What it reads at its start, and nobody afterwards: keys never lie on a disk. */
  readonly stdin: string;
  /** Files in memory that it finds open, from descriptor 3 on. */
  readonly files?: readonly Uint8Array[];
}

/** A child as it is. */
export interface ProcessState {
  readonly name: string;
  /** Of everything it was started with. */
  readonly digest: string;
  readonly condition:
    | { readonly kind: "running"; readonly processId: number }
    /** It died, and may be started again. */
    | { readonly kind: "restartable" }
    | { readonly kind: "backoff"; readonly untilMs: number };
  /** How often it died without having lived for long. */
  readonly crashes: number;
  /** What it said last before it died, or how it ended; empty for one that never did. */
  readonly reason: string;
}
