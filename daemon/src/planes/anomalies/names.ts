import { formatCidr, networkAround, parseAddress } from "../../net/addresses.ts";

/** A queried name in two parts: the domain that its owner registered, and what is below it. */
export interface SplitName {
  readonly domain: string;
  readonly below: string;
}

/**
 * Without the public suffix list, which is too large for this: below a country's two letters, a short label such as `co` or
 * `com` belongs to the registry.
 */
export function splitName(name: string): SplitName {
  const labels = name.split(".");
  const last = labels.length - 1;
  const isSecondLevel = labels.length > 2 && labels[last]!.length === 2 && registries.has(labels[last - 1]!);
  const first = Math.max(0, labels.length - (isSecondLevel ? 3 : 2));
  return { domain: labels.slice(first).join("."), below: labels.slice(0, first).join(".") };
}

const registries = new Set(["co", "com", "net", "org", "gov", "edu", "ac", "go", "ne", "or", "gob", "nom", "ltd"]);

/** What counts as one destination: the registered domain, or the network of an address without a name (/24, /48). */
export function destinationOf(address: string, name: string | undefined): string {
  if (name !== undefined) return splitName(name).domain;
  if (!address.includes(":")) return `${address.slice(0, address.lastIndexOf("."))}.0/24`;
  const parsed = parseAddress(address);
  return parsed ? formatCidr(networkAround(parsed, 48)) : address;
}

/** Shannon entropy of the characters, in bits per character. */
export function entropyOf(text: string): number {
  if (text.length === 0) return 0;
  const counts = new Map<string, number>();
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum -= (count / text.length) * Math.log2(count / text.length);
  return sum;
}
