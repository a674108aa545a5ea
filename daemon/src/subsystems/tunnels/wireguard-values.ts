import { type Address, contains, formatAddress, parseAddress, parseCidr, parseNetwork } from "../../net/addresses.ts";
import { wholeNumber } from "./file-text.ts";
import { hostIn, isHostName, isUnusable } from "./host.ts";

/** The valid values of a list in canonical form, and the first problem of the others. */
export interface Listed {
  readonly values: readonly string[];
  readonly problem: string | null;
}

/** `Address`: wg-quick separates at commas and spaces. A bare address is a network of one host. */
export const addressesIn = (value: string): Listed =>
  listed(atCommasAndSpaces(value), "is not a valid interface address such as 10.2.0.2/32", (text) => {
    const address = parseAddress(text.split("/", 1)[0]!);
    const network = parseNetwork(text);
    return address && network && !isOfNoInterface(address) ? `${formatAddress(address)}/${network.bits}` : undefined;
  });

/** `AllowedIPs`: wg removes spaces and separates at commas. Host bits are cleared, as in wg. */
export const networksIn = (value: string): Listed =>
  listed(value.replaceAll(/[ \t]/g, "").split(",").filter(isNotEmpty), "is not a network such as 0.0.0.0/0", (text) => {
    const network = parseNetwork(text);
    return network && `${formatAddress({ family: network.family, value: network.base })}/${network.bits}`;
  });

/** `DNS`: addresses of resolvers; names are search domains. */
export function resolversIn(value: string): Listed & { readonly searched: boolean } {
  const words = atCommasAndSpaces(value);
  const resolvers = words.filter((word) => !isHostName(word.endsWith(".") ? word.slice(0, -1) : word));
  return {
    ...listed(resolvers, "is not the address of a resolver", (text) => {
      const address = parseAddress(text);
      return address && !isUnusable(address) ? formatAddress(address) : undefined;
    }),
    searched: resolvers.length < words.length,
  };
}

export type Endpoint =
  | { readonly endpoint: string; readonly problem: null }
  | { readonly endpoint: null; readonly problem: string };

export function endpointIn(value: string): Endpoint {
  const [, bracketed, plain, digits = ""] = /^(?:\[([^[\]]*)\]|([^:[\]]+)):([^:]*)$/.exec(value) ?? [];
  const port = wholeNumber(digits, 1, 65_535);
  if (bracketed === undefined && plain === undefined)
    return no(
      value.split(":").length > 2
        ? "Endpoint has an IPv6 address without brackets. Write it as [2001:db8::1]:51820."
        : "Endpoint must be host:port, such as vpn.example.net:51820.",
    );
  if (port === undefined) return no("Endpoint must end with a port from 1 to 65535.");
  const host = hostIn(bracketed ?? plain!);
  if (host === undefined) return no("Endpoint has no valid host name and no valid server address.");
  if (bracketed !== undefined && !parseAddress(host)) return no("Endpoint has brackets around a name.");
  return yes(`${host.includes(":") ? `[${host}]` : host}:${port}`);
}

const yes = (endpoint: string): Endpoint => ({ endpoint, problem: null });
const no = (problem: string): Endpoint => ({ endpoint: null, problem });

function listed(words: readonly string[], complaint: string, read: (word: string) => string | undefined): Listed {
  const values = words.map(read);
  const wrong = words.find((_, index) => values[index] === undefined);
  return {
    values: values.filter((value) => value !== undefined),
    problem: wrong === undefined ? null : `${shown(wrong)} ${complaint}.`,
  };
}

const atCommasAndSpaces = (value: string): readonly string[] => value.split(/[, \t]/).filter(isNotEmpty);

const isNotEmpty = (text: string): boolean => text !== "";

/** Words in the form of addresses may be quoted; anything else could be a secret in the wrong line. */
const shown = (word: string): string => (/^[0-9a-f.:/]{1,50}$/i.test(word) ? word : "A word of this list");

const isOfNoInterface = (address: Address): boolean =>
  isUnusable(address) || noInterface.some((network) => contains(network, address));

const noInterface = ["127.0.0.0/8", "::1/128"].map((text) => parseCidr(text)!);
