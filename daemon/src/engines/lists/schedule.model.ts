/** When a list is requested again. `chance` is in [0, 1): gateways must not all come in the same minute. */
export function nextRequestMs({
  requestedAtMs,
  refreshSec,
  failures,
  chance,
}: {
  readonly requestedAtMs: number;
  readonly refreshSec: number;
  readonly failures: number;
  readonly chance: number;
}): number {
  const refreshMs = Math.max(minMs, refreshSec * 1000);
  const waitMs = failures === 0 ? refreshMs : Math.min(refreshMs, firstRetryMs * 2 ** Math.min(failures - 1, 10));
  return requestedAtMs + waitMs * (1 + (chance - 0.5) * 0.2);
}

const minMs = 60_000;
const firstRetryMs = 60_000;
