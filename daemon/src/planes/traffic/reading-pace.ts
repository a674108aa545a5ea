/** Between two listings of all connections: each is at most this share of one processor, and not more often than `least`. */
const pace = { leastMs: 5000, share: 0.04 } as const;

/**
 * The kernel keeps a connection for this long after its last packet, or longer, but for a TCP connection that was reset. What is listed at least
 * as often has lost nothing when it ends. The kernel's report of its end is not enough: when very many end at once, most reports are lost.
 */
export const shortestTimeoutMs = 30_000;
const marginMs = 5000;

/** The pause after a reading, which takes longer the more connections there are. */
export const pauseAfterMs = (tookMs: number): number =>
  Math.max(pace.leastMs, Math.min(shortestTimeoutMs - marginMs - tookMs, tookMs / pace.share));
