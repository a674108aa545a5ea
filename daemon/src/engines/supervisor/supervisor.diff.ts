import type { Child, Kept } from "./supervisor.model.ts";

/** What to do about one child. To start one ends whatever else goes by its name. */
export type ChildChange =
  | { readonly kind: "start"; readonly child: Child; readonly digest: string }
  | { readonly kind: "end"; readonly name: string };

/** The child that a change is about. */
export const changedChild = (change: ChildChange): string =>
  change.kind === "start" ? change.child.name : change.name;

/**
 * From the children that are kept to those that should be. One that runs as it should is left alone, and one that
 * keeps dying is left to rest.
 */
export function childChanges(
  wanted: readonly { readonly child: Child; readonly digest: string }[],
  kept: readonly Kept[],
): ChildChange[] {
  const names = new Set(wanted.map(({ child }) => child.name));
  const isSettled = (name: string, digest: string) =>
    kept.some((it) => it.name === name && it.digest === digest && it.condition.kind !== "due");
  return [
    ...kept.filter(({ name }) => !names.has(name)).map(({ name }) => ({ kind: "end" as const, name })),
    ...wanted
      .filter(({ child, digest }) => !isSettled(child.name, digest))
      .map(({ child, digest }) => ({ kind: "start" as const, child, digest })),
  ];
}

/** Who dies for the first time comes back at once; who goes on dying is tried ever more slowly. */
export const restMs = (deaths: number): number => (deaths <= 1 ? 100 : Math.min(30_000, 500 * 2 ** (deaths - 2)));

/** Who lived so long is not one that cannot live. */
export const forgivenAfterMs = 60_000;
