/** From when to when a signature holds, in seconds since 1970. */
export interface Dated {
  readonly inceptionSec: number;
  readonly expirationSec: number;
}

export interface ClockFacts {
  /** Of the root's newest word, whatever they are worth; none when nobody could be asked. */
  readonly signatures: readonly Dated[];
  readonly nowSec: number;
  /** By the kernel: somebody sets the clock by another. False also if that is not known. */
  readonly isSynchronised: boolean;
  /** What was decided before. */
  readonly ignoresDates: boolean;
}

/**
 * Whether dates of signatures are to be ignored: only while nobody vouches for the clock and it contradicts the root.
 * A gateway without a battery would otherwise find no name, and so no time server either, for ever.
 */
export function ignoresDates({ signatures, nowSec, isSynchronised, ignoresDates: before }: ClockFacts): boolean {
  if (isSynchronised) return false;
  if (signatures.length === 0) return before;
  return !signatures.some(({ inceptionSec, expirationSec }) => inceptionSec <= nowSec && nowSec <= expirationSec);
}
