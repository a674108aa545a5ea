/** From when to when a signature holds, in seconds since 1970. */
export interface Dated {
  readonly inceptionSec: number;
  readonly expirationSec: number;
}

export interface ClockFacts {
  /** Of the root's current records, unverified; none if no resolver answered. */
  readonly signatures: readonly Dated[];
  readonly nowSec: number;
  /** The kernel reports that the clock is synchronized. False also if unknown. */
  readonly isSynchronised: boolean;
  /** What was decided before. */
  readonly ignoresDates: boolean;
}

/**
 * Whether the dates of signatures are ignored: only while the clock is not synchronized and contradicts the root.
 * A gateway without a battery would otherwise find no name, and so no time server either, for ever.
 */
export function ignoresDates({ signatures, nowSec, isSynchronised, ignoresDates: before }: ClockFacts): boolean {
  if (isSynchronised) return false;
  if (signatures.length === 0) return before;
  return !signatures.some(({ inceptionSec, expirationSec }) => inceptionSec <= nowSec && nowSec <= expirationSec);
}
