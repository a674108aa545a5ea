/**
 * For each writable field, setting and bootstrap key the test that observes its effect. A field without an effect is refused with
 * `not_supported`.
 */
export interface Effect {
  /** A subsystem of the contract, or `bootstrap`. */
  readonly of: string;
  /** Separated by blanks. */
  readonly fields: string;
  readonly file: string;
  /** Part of the test's title in the source of the file. */
  readonly title: string;
}

export const inDaemon = (file: string): string => `daemon/src/${file}.test.ts`;
export const inSubsystem = (file: string): string => inDaemon(`subsystems/${file}`);
export const inJourney = (file: string): string => `lab/journeys/${file}.lab.test.ts`;

export const effect = (of: string, fields: string, file: string, title: string): Effect => ({
  of,
  fields,
  file,
  title,
});
