/** Evidence from the counters of an interface. It costs no packet and is faster than any probe. */
export interface Traffic {
  /** The counters when a packet was last received, or none was sent. */
  readonly since?: { readonly atMs: number; readonly sent: number; readonly received: number };
  /** Packets leave and none is received: a reason for a burst, no proof. */
  readonly isOneSided: boolean;
  /** One-sided streams are normal. After an answered burst no further one is started before this time. */
  readonly trustedUntilMs: number;
}

export const noTraffic: Traffic = { isOneSided: false, trustedUntilMs: 0 };

/** No packet received for this time while so many were sent. A single probe in flight does not count. */
const silenceMs = 400;
const minSent = 3;
const trustMs = 5000;

export function updateTraffic(
  traffic: Traffic,
  { atMs, sent, received }: { readonly atMs: number; readonly sent: number; readonly received: number },
): Traffic {
  const { since, trustedUntilMs } = traffic;
  const isNormal = !since || received !== since.received || sent <= since.sent;
  if (isNormal) return { since: { atMs, sent, received }, isOneSided: false, trustedUntilMs };
  const isSuspect = atMs - since.atMs >= silenceMs && sent - since.sent >= minSent;
  return { since, isOneSided: isSuspect && atMs >= trustedUntilMs, trustedUntilMs };
}

/** After a reply to a burst one-sided traffic counts as normal. */
export const trustAfterReply = (traffic: Traffic, atMs: number): Traffic =>
  traffic.isOneSided ? { ...traffic, isOneSided: false, trustedUntilMs: atMs + trustMs } : traffic;
