import { contains, formatAddress, parseAddress, parseCidr, type Address } from "../../net/addresses.ts";

/** The canonical form of a server's address or name, an IPv6 address without brackets; undefined if it is neither. */
export function hostIn(text: string): string | undefined {
  const address = parseAddress(text);
  if (address) return isUnusable(address) ? undefined : formatAddress(address);
  return isHostName(text) ? text.toLowerCase() : undefined;
}

/** An ASCII host name. Addresses and partial addresses are not names. */
export const isHostName = (text: string): boolean =>
  text.length <= 253 &&
  text.split(".").every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label)) &&
  !/^(?:\d+|0x[0-9a-f]*)$/i.test(text.slice(text.lastIndexOf(".") + 1));

/** Not a unicast address of a host: unspecified, multicast or reserved. */
export const isUnusable = (address: Address): boolean => unusable.some((network) => contains(network, address));

const unusable = ["0.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4", "::/128", "ff00::/8"].map((text) => parseCidr(text)!);
