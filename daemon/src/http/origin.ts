import { formatAddress, parseAddress } from "@portcullis/contract/addresses";

/** The headers a browser cannot forge, and where the request arrived. */
export interface Arrival {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  /** Address of our end of the socket. */
  readonly localAddress: string;
}

/**
 * Why a request that changes something may not come from where it says, or nothing. A web page on another
 * site, or one that rebinds its own name to our address, must not drive the API, whoever is logged in.
 */
export function crossOriginReason(
  { host, origin, fetchSite, localAddress }: Arrival,
  ownNames: readonly string[],
): string | undefined {
  const misaddressed = foreignHostReason({ host, localAddress }, ownNames);
  if (misaddressed !== undefined || host === undefined) return misaddressed;
  if (origin !== undefined && originHost(origin) !== host.toLowerCase())
    return `Pages of ${printable(origin)} may not change the gateway`;
  if (fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none")
    return "Pages of other sites may not change the gateway";
  return undefined;
}

/** The same of the name alone: what a page that rebinds its name cannot hide, even from a request that only reads. */
export function foreignHostReason(
  { host, localAddress }: Pick<Arrival, "host" | "localAddress">,
  ownNames: readonly string[],
): string | undefined {
  if (host === undefined) return "The request has no Host";
  if (isOwn(hostName(host), localAddress, ownNames)) return undefined;
  return `The gateway is not called ${printable(host)}; add the name to listen.hosts if it is`;
}

/** An address must be the one the connection came to: any other name or address is somebody else's. */
function isOwn(name: string | undefined, localAddress: string, ownNames: readonly string[]): boolean {
  if (name === undefined) return false;
  const address = oneSpelling(name);
  if (address !== undefined) return address === oneSpelling(localAddress.replace(/%.*$/, ""));
  return name === "localhost" || ownNames.includes(name);
}

/** Addresses have many spellings, and our end of a link-local connection has its interface behind a `%`. */
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
