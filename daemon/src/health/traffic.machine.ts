/** What an interface's counters say about the other end. It costs no packet and is quicker than any probe. */
export interface Traffic {
  /** The counters when something was last received, or nothing sent. */
  readonly since?: { readonly atMs: number; readonly sent: number; readonly received: number };
  /** Packets leave and nothing comes back: worth a question, not an answer. */
  readonly isOneSided: boolean;
  /** Streams that only go one way are quite normal. Whoever answered a burst is not suspected again before this. */
  readonly trustedUntilMs: number;
}

export const noTraffic: Traffic = { isOneSided: false, trustedUntilMs: 0 };

/** Silence of this length while so many packets leave is odd. A lone probe under way is not. */
const silenceMs = 400;
const minSent = 3;
const trustMs = 5000;

export function updateTraffic(
  traffic: Traffic,
  { atMs, sent, received }: { readonly atMs: number; readonly sent: number; readonly received: number },
): Traffic {
  const { since, trustedUntilMs } = traffic;
  const isFine = !since || received !== since.received || sent <= since.sent;
  if (isFine) return { since: { atMs, sent, received }, isOneSided: false, trustedUntilMs };
  const isOdd = atMs - since.atMs >= silenceMs && sent - since.sent >= minSent;
  return { since, isOneSided: isOdd && atMs >= trustedUntilMs, trustedUntilMs };
}

/** Somebody answered: if the traffic looked odd, it is meant to be so. */
export const trustAfterReply = (traffic: Traffic, atMs: number): Traffic =>
  traffic.isOneSided ? { ...traffic, isOneSided: false, trustedUntilMs: atMs + trustMs } : traffic;
