/** Counts from the output of ping. Its sequence numbers have 16 bits and wrap around to 0. */
export interface PingCounts {
  readonly sent: number;
  readonly answered: number;
  /** The last sequence number. */
  readonly sequence: number;
}

export const noPings: PingCounts = { sent: 0, answered: 0, sequence: 0 };

/** One line of `ping -O`: a reply, or a missing reply. Both show how many were sent. */
export function countLine(counts: PingCounts, line: string): PingCounts {
  const text = /\bicmp_seq=(\d+)\b/.exec(line)?.[1];
  if (text === undefined) return counts;
  const sequence = Number(text);
  const ahead = (sequence - counts.sequence + numbers) % numbers;
  // A reply may be late: then it belongs to a packet that was counted before.
  const isNew = ahead < numbers / 2;
  return {
    sent: counts.sent + (isNew ? ahead : 0),
    answered: counts.answered + (/ bytes from /.test(line) ? 1 : 0),
    sequence: isNew ? sequence : counts.sequence,
  };
}

/** ping was restarted and counts from the beginning. */
export const restarted = (counts: PingCounts): PingCounts => ({ ...counts, sequence: 0 });

const numbers = 0x1_0000;
