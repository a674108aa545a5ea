/** What ping has told so far. It counts packets in 16 bits and begins again at none. */
export interface PingCounts {
  readonly sent: number;
  readonly answered: number;
  /** The last number it told of. */
  readonly sequence: number;
}

export const noPings: PingCounts = { sent: 0, answered: 0, sequence: 0 };

/** One line of `ping -O`: an answer, or that there is none yet. Both tell how many were sent. */
export function countLine(heard: PingCounts, line: string): PingCounts {
  const text = /\bicmp_seq=(\d+)\b/.exec(line)?.[1];
  if (text === undefined) return heard;
  const sequence = Number(text);
  const ahead = (sequence - heard.sequence + numbers) % numbers;
  // An answer may be late: then it is about a packet that was told of before.
  const isNew = ahead < numbers / 2;
  return {
    sent: heard.sent + (isNew ? ahead : 0),
    answered: heard.answered + (/ bytes from /.test(line) ? 1 : 0),
    sequence: isNew ? sequence : heard.sequence,
  };
}

/** It ended and begins to count anew. */
export const restarted = (heard: PingCounts): PingCounts => ({ ...heard, sequence: 0 });

const numbers = 0x1_0000;
