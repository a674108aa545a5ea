/** One part of the proof: it runs, is recorded and becomes stale on its own. */
export interface Part {
  readonly name: string;
  /** What a record with the verdict `held` shows, in one sentence. */
  readonly promise: string;
  /** Decides which document shows the results. */
  readonly kind: "suite" | "lab" | "benchmark";
  /** Globs of the sources that the result depends on; `!` excludes. Test files are left out here: see `tests`. */
  readonly covers: readonly string[];
  /** Globs of the test files that belong to this part and to no other one. */
  readonly tests: readonly string[];
  /** Environment variables with the full sizes. */
  readonly sizes: Sizes;
  readonly steps: readonly Step[];
  /** Runs programs from `dist`. */
  readonly needsBuild: boolean;
  readonly needsRoot: boolean;
  /** Environment variables that name files for results, in the folder of the part. */
  readonly results?: Readonly<Record<string, string>>;
  /** The scripts continue from these files, so they are kept when the part is interrupted. */
  readonly continues?: true;
}

export type Sizes = Readonly<Record<string, number>>;

/** A run of the test runner, or of a script. `env` is for sizes that differ from those of the part. */
export type Step =
  | {
      readonly kind: "tests";
      readonly project: string;
      /** Without files: all files of the project. */
      readonly files?: readonly string[];
      readonly env?: Sizes;
    }
  | { readonly kind: "script"; readonly script: string; readonly words?: readonly string[]; readonly env?: Sizes };
