/** When the monitor attacks by itself: some time after the last of several changes, but not put off for ever, nor on end. */
export interface Turn {
  /** The first change that has not been looked at. */
  readonly firstMs: number;
  readonly lastMs: number;
}

export const changed = (turn: Turn | undefined, nowMs: number): Turn => ({
  firstMs: turn?.firstMs ?? nowMs,
  lastMs: nowMs,
});

/** A tunnel that comes and goes without end is looked at all the same. */
const mostWaits = 4;
/** And the gateway has other work than attacking itself. */
export const restMs = 20_000;

export function dueMs({ firstMs, lastMs }: Turn, settleSec: number, endedMs: number | null): number {
  const settled = Math.min(lastMs + settleSec * 1000, firstMs + Math.max(1, settleSec) * 1000 * mostWaits);
  return endedMs === null ? settled : Math.max(settled, endedMs + restMs);
}
