import { formatAddress, parseAddress } from "../net/addresses.ts";

/** Headers that a page cannot forge, and the local address of the connection. */
export interface Arrival {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  /** Local address of the socket. */
  readonly localAddress: string;
}

/**
 * Why a state-changing request is refused as cross-origin; undefined if it is allowed. A page of another site, or one
 * that rebinds its own name to the gateway's address (DNS rebinding), must not use the API.
 */
export function crossOriginReason(
  { host, origin, fetchSite, localAddress }: Arrival,
  ownNames: readonly string[],
): string | undefined {
  const hostReason = foreignHostReason({ host, localAddress }, ownNames);
  if (hostReason !== undefined || host === undefined) return hostReason;
  if (origin !== undefined && originHost(origin) !== host.toLowerCase())
    return `Pages of ${printable(origin)} may not change the gateway`;
  if (fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none")
    return "Pages of other sites may not change the gateway";
  return undefined;
}

/** The same for the Host header alone: it reveals DNS rebinding, also in requests that only read. */
export function foreignHostReason(
  { host, localAddress }: Pick<Arrival, "host" | "localAddress">,
  ownNames: readonly string[],
): string | undefined {
  if (host === undefined) return "The request has no Host";
  if (isOwn(hostName(host), localAddress, ownNames)) return undefined;
  return `The gateway is not called ${printable(host)}; add the name to listen.hosts if it is`;
}

/** An address must be the local address of the connection; any other name or address is foreign. */
function isOwn(name: string | undefined, localAddress: string, ownNames: readonly string[]): boolean {
  if (name === undefined) return false;
  const address = oneSpelling(name);
  if (address !== undefined) return address === oneSpelling(localAddress.replace(/%.*$/, ""));
  return name === "localhost" || ownNames.includes(name);
}

/** Normalizes an address. The local address of a link-local connection has its interface after a `%`. */
function oneSpelling(text: string): string | undefined {
  const address = parseAddress(text);
  return address && formatAddress(address);
}

function hostName(host: string): string | undefined {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i.exec(host);
  return (parts?.[1] ?? parts?.[2])?.toLowerCase().replace(/\.$/, "");
}

function originHost(origin: string): string | undefined {
  return /^https?:\/\/([^/?#@]+)$/i.exec(origin)?.[1]?.toLowerCase();
}

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?").slice(0, 100);
