/** When a list is asked for again. `chance` is in [0, 1): gateways must not all come at the same minute. */
export function nextAskMs({
  askedAtMs,
  refreshSec,
  failures,
  chance,
}: {
  readonly askedAtMs: number;
  readonly refreshSec: number;
  readonly failures: number;
  readonly chance: number;
}): number {
  const usualMs = Math.max(leastMs, refreshSec * 1000);
  const waitMs = failures === 0 ? usualMs : Math.min(usualMs, firstRetryMs * 2 ** Math.min(failures - 1, 10));
  return askedAtMs + waitMs * (1 + (chance - 0.5) * 0.2);
}

const leastMs = 60_000;
const firstRetryMs = 60_000;
