import type { Reason } from "@portcullis/contract/reason";
import type { Drift } from "../engine.ts";
import type { ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { ProcessState } from "../supervisor/supervisor.model.ts";

/** How a program that should run is. */
export interface ProgramState {
  readonly name: string;
  readonly kind: "starting" | "running" | "broken";
  /** What is wrong, if it is known; null for one that runs. */
  readonly problem: Reason | null;
}

export function programState(
  name: string,
  impediment: Reason | undefined,
  state: ProcessState | undefined,
): ProgramState {
  if (impediment !== undefined) return { name, kind: "broken", problem: impediment };
  if (!state) return { name, kind: "starting", problem: null };
  if (state.condition.kind === "running") return { name, kind: "running", problem: null };
  return { name, kind: "broken", problem: state.reason };
}

/** The same for one of many, by its process name. */
export const stateAmong = (
  processes: readonly ProcessState[],
  child: string,
  { name, impediment }: { readonly name: string; readonly impediment?: Reason | undefined },
): ProgramState =>
  programState(
    name,
    impediment,
    processes.find((it) => it.name === child),
  );

/** A missing or unexpected process. Its specification may contain secrets and is not reported. */
export const driftOfProcesses = (changes: readonly ProcessChange[]): Drift[] =>
  changes.map((change) =>
    change.kind === "start"
      ? { resource: change.spec.name, field: "process", expected: "running", actual: null }
      : { resource: change.name, field: "process", expected: null, actual: "running" },
  );
