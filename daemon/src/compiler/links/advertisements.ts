import { because, type Reason } from "@portcullis/contract/reason";
import type { RouterAdvertisement } from "@portcullis/contract/subsystems/router-advertisements";
import type { Advertisement } from "../../engines/radvd/radvd.model.ts";
import {
  type Cidr,
  contains,
  formatAddress,
  formatCidr,
  overlaps,
  parseAddress,
  parseCidr,
  parseNetwork,
} from "../../net/addresses.ts";
import type { Facts, Link } from "../input/facts.ts";
import type { Intent, IntentDns } from "../input/intent.ts";

type Read = Pick<Intent, "advertisements" | "devices" | "policies" | "network" | "dns">;

/** The interfaces on which the gateway is advertised as router. One on which it cannot be is left out. */
export const advertisements = (intent: Read, facts: Pick<Facts, "links">): Advertisement[] =>
  intent.advertisements.flatMap((wanted) => {
    const found = advertisementOf(wanted, intent, facts);
    return "reason" in found ? [] : [found];
  });

/** The advertisement of an interface, or the reason why there is none. */
export function advertisementOf(
  { interface: name, lifetime_sec: lifetimeSec }: RouterAdvertisement,
  intent: Read,
  { links }: Pick<Facts, "links">,
): Advertisement | { readonly reason: Reason } {
  const { network, dns } = intent;
  // The bootstrap file may have been edited since.
  if (!network.lan.includes(name)) return { reason: because("no_lan_interface", { interface: name }) };
  if (!writableName.test(name)) return { reason: because("advertisement_name", { interface: name }) };
  const link = links.find((it) => it.name === name);
  if (!link) return { reason: because("interface_absent", { interface: name }) };
  if (!link.up) return { reason: because("interface_down", { interface: name }) };
  if (link.ipv6 === false) return { reason: because("interface_without_ipv6", { interface: name }) };
  const own = ownPrefixes(link);
  if (own.length === 0) return { reason: because("advertisement_no_prefix", { interface: name }) };
  const prefixes = own.map(({ prefix }) => prefix);
  const unrecognized =
    unrecognizedDevice([...v4Networks(link), ...prefixes], intent) ??
    unmatchedPolicy(v4Networks(link), prefixes, intent);
  if (unrecognized !== undefined) return { reason: unrecognized };
  return {
    interface: name,
    index: link.index ?? 0,
    lifetimeSec,
    prefixes: prefixes.map(formatCidr),
    resolvers: dns ? resolversAt(own[0]!.address, dns) : (network.resolvers ?? []).filter(isV6).slice(0, maxResolvers),
  };
}

/** Clients choose their addresses in networks of this size only. */
const autonomousBits = 64;

function ownPrefixes({ networks = [], addresses = [] }: Link): { prefix: Cidr; address: string }[] {
  const own = addresses.flatMap((it) => parseAddress(it) ?? []);
  return networks
    .flatMap((it) => parseCidr(it) ?? [])
    .filter(({ family, bits }) => family === 6 && bits === autonomousBits)
    .flatMap((prefix) => {
      const address = own.find((it) => contains(prefix, it));
      return address ? [{ prefix, address: formatAddress(address) }] : [];
    })
    .toSorted((a, b) => (a.prefix.base < b.prefix.base ? -1 : 1));
}

const v4Networks = ({ networks = [] }: Link): Cidr[] =>
  networks.flatMap((it) => parseCidr(it) ?? []).filter(({ family }) => family === 4);

/** A device without a MAC is recognised by its addresses. It would choose addresses that are not on file, and be an unknown device. */
function unrecognizedDevice(local: readonly Cidr[], { devices }: Read): Reason | undefined {
  const isLocal = (ip: string) => {
    const address = parseAddress(ip);
    return address !== undefined && local.some((network) => contains(network, address));
  };
  const ip = devices.flatMap(({ mac, ips }) => (mac === null ? ips.filter(isLocal) : []))[0];
  if (ip === undefined) return undefined;
  return because("advertisement_unknown_device", { address: ip });
}

/** Devices would leave as their policy says over IPv4, and as others over IPv6, unless policies are for the prefixes, too. */
function unmatchedPolicy(local: readonly Cidr[], prefixes: readonly Cidr[], { policies }: Read): Reason | undefined {
  const sources = policies.flatMap(({ sourceType, sourceValue, failPolicy }) => {
    const source = sourceType === "subnet" && failPolicy !== "fail-open" ? parseNetwork(sourceValue) : undefined;
    return source ? [source] : [];
  });
  const covers = (it: Cidr, prefix: Cidr) => it.bits <= prefix.bits && overlaps(it, prefix);
  const isCovered = prefixes.every((prefix) => sources.some((it) => covers(it, prefix)));
  const source = sources.find((it) => local.some((network) => overlaps(it, network)));
  if (isCovered || !source) return undefined;
  return because("advertisement_policy", { source: formatCidr(source), prefixes: prefixes.map(formatCidr) });
}

/** An advertisement has no port. A resolver that listens on an IPv4 address only is found by DHCP. */
function resolversAt(own: string, { listener }: IntentDns): string[] {
  if (listener.port !== dnsPort) return [];
  const address = listener.address ?? own;
  return isV6(address) ? [address] : [];
}

const dnsPort = 53;
/** In one option. */
const maxResolvers = 3;
const isV6 = (address: string): boolean => address.includes(":");
/** Words of its configuration. */
const writableName = /^[A-Za-z0-9_.:-]+$/;
