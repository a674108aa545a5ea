import type { ProcessSpec, ProcessState } from "./supervisor.model.ts";

/** A change of one process. A start ends any other process of the same name first. */
export type ProcessChange =
  | { readonly kind: "start"; readonly spec: ProcessSpec; readonly digest: string }
  | { readonly kind: "end"; readonly name: string };

/** The name of the process that a change is about. */
export const changedProcess = (change: ProcessChange): string =>
  change.kind === "start" ? change.spec.name : change.name;

/**
 * From the existing processes to the wanted ones. A process that runs as specified is left alone, and so is one
 * in backoff.
 */
export function processChanges(
  wanted: readonly { readonly spec: ProcessSpec; readonly digest: string }[],
  running: readonly ProcessState[],
): ProcessChange[] {
  const names = new Set(wanted.map(({ spec }) => spec.name));
  const isUnchanged = (name: string, digest: string) =>
    running.some((it) => it.name === name && it.digest === digest && it.condition.kind !== "restartable");
  return [
    ...running.filter(({ name }) => !names.has(name)).map(({ name }) => ({ kind: "end" as const, name })),
    ...wanted
      .filter(({ spec, digest }) => !isUnchanged(spec.name, digest))
      .map(({ spec, digest }) => ({ kind: "start" as const, spec, digest })),
  ];
}

/** After the first crash a process is restarted at once; after each further crash later. */
export const backoffMs = (crashes: number): number => (crashes <= 1 ? 100 : Math.min(30_000, 500 * 2 ** (crashes - 2)));

/** A process that ran this long starts with no crashes counted. */
export const stableAfterMs = 60_000;
