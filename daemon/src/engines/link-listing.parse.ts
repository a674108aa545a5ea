/** An address in the output of `ip -j address show`. */
export interface AddressJson {
  readonly local?: string;
  readonly prefixlen?: number;
  readonly scope?: string;
  readonly dynamic?: boolean;
}

/** The addresses that an operator or a program has set: not those of the kernel itself, and not those of an advertised prefix. */
export const setAddresses = (addresses: readonly AddressJson[]): string[] =>
  addresses
    .filter(({ scope, dynamic = false }) => scope !== "link" && !dynamic)
    .map(({ local, prefixlen }) => `${local}/${prefixlen}`);

/** The record of the interfaces that an engine has created. An unreadable record has none. */
export function parseRecord(text: string | undefined): string[] {
  try {
    const names = JSON.parse(text ?? "[]") as unknown;
    return Array.isArray(names) ? names.filter((it) => typeof it === "string") : [];
  } catch {
    return []; // Not JSON.
  }
}
