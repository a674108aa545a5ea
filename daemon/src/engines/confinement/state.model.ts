import type { Drift } from "../engine.ts";
import type { ChildChange } from "../supervisor/supervisor.diff.ts";
import type { Kept } from "../supervisor/supervisor.model.ts";

/** How a program that should run is. */
export interface ProgramState {
  readonly name: string;
  readonly kind: "starting" | "running" | "broken";
  /** What is wrong, for a person; empty for one that runs. */
  readonly problem: string;
}

export function programState(name: string, impediment: string | undefined, kept: Kept | undefined): ProgramState {
  if (impediment !== undefined) return { name, kind: "broken", problem: impediment };
  if (!kept) return { name, kind: "starting", problem: "" };
  if (kept.condition.kind === "running") return { name, kind: "running", problem: "" };
  return { name, kind: "broken", problem: kept.reason };
}

/** The same for one of many, by what its keeper calls it. */
export const stateAmong = (
  kept: readonly Kept[],
  child: string,
  { name, impediment }: { readonly name: string; readonly impediment?: string | undefined },
): ProgramState =>
  programState(
    name,
    impediment,
    kept.find((it) => it.name === child),
  );

/** A child that is missing or strange. What it was started with is nobody's business. */
export const driftOfChildren = (changes: readonly ChildChange[]): Drift[] =>
  changes.map((change) =>
    change.kind === "start"
      ? { resource: change.child.name, field: "process", expected: "running", actual: null }
      : { resource: change.name, field: "process", expected: null, actual: "running" },
  );
