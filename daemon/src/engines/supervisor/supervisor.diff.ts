import type { ProcessSpec, ProcessState } from "./supervisor.model.ts";

/** What to do about one child. To start one ends whatever else goes by its name. */
export type ProcessChange =
  | { readonly kind: "start"; readonly spec: ProcessSpec; readonly digest: string }
  | { readonly kind: "end"; readonly name: string };

/** The child that a change is about. */
export const changedProcess = (change: ProcessChange): string =>
  change.kind === "start" ? change.spec.name : change.name;

/**
 * From the children that are running to those that should be. One that runs as it should is left alone, and one that
 * keeps dying is left to rest.
 */
export function processChanges(
  wanted: readonly { readonly spec: ProcessSpec; readonly digest: string }[],
  running: readonly ProcessState[],
): ProcessChange[] {
  const names = new Set(wanted.map(({ spec }) => spec.name));
  const isSettled = (name: string, digest: string) =>
    running.some((it) => it.name === name && it.digest === digest && it.condition.kind !== "restartable");
  return [
    ...running.filter(({ name }) => !names.has(name)).map(({ name }) => ({ kind: "end" as const, name })),
    ...wanted
      .filter(({ spec, digest }) => !isSettled(spec.name, digest))
      .map(({ spec, digest }) => ({ kind: "start" as const, spec, digest })),
  ];
}

/** Who dies for the first time comes back at once; who goes on dying is tried ever more slowly. */
export const backoffMs = (crashes: number): number => (crashes <= 1 ? 100 : Math.min(30_000, 500 * 2 ** (crashes - 2)));

/** Who lived so long is not one that cannot live. */
export const stableAfterMs = 60_000;
