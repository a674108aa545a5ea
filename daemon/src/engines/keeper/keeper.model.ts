/** A program that runs for as long as somebody wants it, whether the daemon lives or not. */
export interface Child {
  /** Unique among all children; it becomes a file name. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** What it reads at its start, and nobody afterwards: keys never lie on a disk. */
  readonly stdin: string;
}
