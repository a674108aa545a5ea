import { because, type Reason } from "@portcullis/contract/reason";
import { overlaps, parseAddress, parseCidr, parseNetwork } from "../../net/addresses.ts";

/** A network that an address from an OpenVPN server must not be in, and whose it is, for the message. */
export interface Reserved {
  readonly network: string;
  readonly owner: Reason;
}

/**
 * Why the addresses that a server assigned cannot be used; nothing if they can. The server decides them, and an address of
 * the gateway is answered by the gateway whatever the routing tables say: a server that could choose freely would take any
 * address of the Internet, of the LAN or of a resolver away from all other uses.
 */
export function problemOfAssigned(addresses: readonly string[], reserved: readonly Reserved[]): Reason | undefined {
  if (addresses.length === 0) return because("openvpn_no_address");
  return addresses.map((it) => problemOf(it, reserved)).find((it) => it !== undefined);
}

function problemOf(text: string, reserved: readonly Reserved[]): Reason | undefined {
  const address = parseAddress(text) && parseNetwork(text);
  if (!address) return because("openvpn_unreadable_address", { address: JSON.stringify(text.slice(0, 60)) });
  if (!inner.some((it) => overlaps(it, address)))
    return because("openvpn_public_address", { address: text, networks: innerNetworks });
  const conflict = reserved.find(({ network }) => {
    const taken = parseNetwork(network);
    return taken && overlaps(taken, address);
  });
  return conflict && because("openvpn_taken_address", { address: text, ...conflict });
}

/** RFC 1918, the shared addresses of RFC 6598, and the unique local addresses of RFC 4193. */
const innerNetworks = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"];
const inner = innerNetworks.map((it) => parseCidr(it)!);

/** As the kernel is given them: one address each, whatever network the server says it is in. */
export const hostAddresses = (addresses: readonly string[]): string[] =>
  addresses.map((it) => `${it}/${it.includes(":") ? 128 : 32}`);
