/** A named map or set, with its elements. */
export interface NamedSet {
  readonly name: string;
  readonly kind: "map" | "set";
  readonly type: string;
  readonly flags?: "interval" | "timeout" | "interval, timeout" | "dynamic, timeout";
  /** Maximum number of elements; the kernel's limit if unset. */
  readonly size?: number;
  readonly elements: readonly Element[];
  /** Filled by the kernel or a resolver: an apply leaves its elements. */
  readonly isFilledElsewhere?: true;
  /** Of one generation only. */
  readonly isPerGeneration?: true;
  /**
   * The name without the generation. The kernel activates intervals a little after the rest of a
   * transaction. So an interval map is never changed: a new one is created beforehand, and the rules switch to it.
   */
  readonly role?: string;
}

/** One element in nft's syntax. */
export interface Element {
  readonly key: string;
  /** The value in a map; an element of a set has none. */
  readonly data?: string;
  readonly comment?: string;
  /** When it expires in the kernel, in milliseconds of the wall clock. */
  readonly untilMs?: number;
}

export interface Chain {
  readonly name: string;
  readonly rules: readonly string[];
}

/** One or several interfaces in a comparison. */
export const interfaces = (names: readonly string[]): string =>
  names.length === 1 ? `"${names[0]}"` : `{ ${names.map((name) => `"${name}"`).join(", ")} }`;

/** Interface names may contain characters that names in nft may not. */
export const encoded = (name: string): string =>
  name.replace(/[^A-Za-z0-9]/g, (sign) => `_${sign.charCodeAt(0).toString(16)}_`);
