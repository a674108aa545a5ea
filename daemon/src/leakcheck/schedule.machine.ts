/** When the monitor runs a check by itself: a delay after the last of several changes, with a bound and a minimum interval. */
export interface PendingCheck {
  /** The first change since the last check. */
  readonly firstMs: number;
  readonly lastMs: number;
}

export const afterChange = (pending: PendingCheck | undefined, nowMs: number): PendingCheck => ({
  firstMs: pending?.firstMs ?? nowMs,
  lastMs: nowMs,
});

/** A tunnel that flaps without end does not postpone the check for ever. */
const maxDelays = 4;
/** Between two checks, to bound their cost. */
export const minIntervalMs = 20_000;

export function startAtMs({ firstMs, lastMs }: PendingCheck, delaySec: number, endedMs: number | null): number {
  const settled = Math.min(lastMs + delaySec * 1000, firstMs + Math.max(1, delaySec) * 1000 * maxDelays);
  return endedMs === null ? settled : Math.max(settled, endedMs + minIntervalMs);
}
