/** A named map or set of the table, and what it holds. */
export interface NamedSet {
  readonly name: string;
  readonly kind: "map" | "set";
  readonly type: string;
  readonly flags?: "interval" | "timeout" | "interval, timeout" | "dynamic, timeout";
  /** How many elements it takes at most; without it, as many as the kernel lets it. */
  readonly size?: number;
  readonly elements: readonly Element[];
  /** Filled by others (the resolver): an apply leaves what is in it. */
  readonly isFilledElsewhere?: true;
  /** Of one generation only. */
  readonly isPerGeneration?: true;
  /**
   * What it is for, when its name tells more than that. The kernel brings ranges into force a little after the rest of a
   * transaction. So a map of ranges is never changed: another one is made beforehand, and the rules turn to it.
   */
  readonly role?: string;
}

/** One element in nft's own words. */
export interface Element {
  readonly key: string;
  /** What a map leads to; an element of a set has none. */
  readonly data?: string;
  readonly comment?: string;
  /** When the kernel forgets it by itself, in milliseconds of the clock. */
  readonly untilMs?: number;
}

export interface Chain {
  readonly name: string;
  readonly rules: readonly string[];
}

/** One or several interfaces in a comparison. */
export const interfaces = (names: readonly string[]): string =>
  names.length === 1 ? `"${names[0]}"` : `{ ${names.map((name) => `"${name}"`).join(", ")} }`;

/** Interface names may hold signs that nft's names may not. */
export const encoded = (name: string): string =>
  name.replace(/[^A-Za-z0-9]/g, (sign) => `_${sign.charCodeAt(0).toString(16)}_`);
