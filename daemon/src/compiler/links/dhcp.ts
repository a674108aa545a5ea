import { because, type Reason } from "@portcullis/contract/reason";
import type { DhcpRange } from "@portcullis/contract/subsystems/dhcp";
import type { DhcpPlan, DhcpSubnet, Reservation } from "../../engines/kea/kea.model.ts";
import { type Address, contains, formatAddress, formatCidr, parseAddress, parseCidr } from "../../net/addresses.ts";
import type { Facts, Link } from "../input/facts.ts";
import { type Intent, type IntentDevice, outsideOf } from "../input/intent.ts";

type Read = Pick<Intent, "dhcp" | "devices" | "network" | "dns">;

/** The networks in which addresses are leased. A range that cannot be served is left out. */
export function dhcpPlan(intent: Read & Pick<Intent, "uplinks">, facts: Pick<Facts, "links">): DhcpPlan {
  const subnets = intent.dhcp.flatMap((range) => {
    const found = subnetOf(range, intent, facts);
    return "reason" in found ? [] : [found];
  });
  return { subnets, closed: subnets.length === 0 ? [] : uplinksWithoutLan(intent, facts) };
}

/** Replies to a LAN that is a VLAN of an uplink leave by the uplink, too. */
function uplinksWithoutLan({ network, uplinks }: Pick<Intent, "network" | "uplinks">, { links }: Pick<Facts, "links">) {
  const outside = new Set([...outsideOf(network), ...uplinks.list.map((it) => it.interface)]);
  const below = new Set(links.filter(({ name }) => network.lan.includes(name)).map(({ lower }) => lower));
  return links
    .map(({ name }) => name)
    .filter((it) => outside.has(it) && !below.has(it) && !network.lan.includes(it))
    .toSorted();
}

/** The subnet of a range, or the reason why there is none. */
export function subnetOf(
  range: DhcpRange,
  { devices, network, dns }: Read,
  { links }: Pick<Facts, "links">,
): DhcpSubnet | { readonly reason: Reason } {
  const { interface: name, first, last, lease_sec: leaseSec } = range;
  // The bootstrap file may have been edited since.
  if (!network.lan.includes(name)) return { reason: because("no_lan_interface", { interface: name }) };
  const link = links.find((it) => it.name === name);
  if (!link) return { reason: because("interface_absent", { interface: name }) };
  const [from, to] = [parseAddress(first)!, parseAddress(last)!];
  const own = ownNetwork(link, from, to);
  if (!own) return { reason: because("dhcp_no_network", { interface: name, first, last }) };
  return {
    interface: name,
    link: `${link.index ?? 0} ${link.up ? "up" : "down"}`,
    network: formatCidr(own.network),
    gateway: formatAddress(own.address),
    resolvers: dns ? [formatAddress(own.address)] : (network.resolvers ?? []).filter((it) => !it.includes(":")),
    first: formatAddress(from),
    last: formatAddress(to),
    leaseSec,
    reservations: reservationsIn(own.network, own.address, devices),
  };
}

function ownNetwork({ networks = [], addresses = [] }: Link, ...range: readonly Address[]) {
  for (const network of networks.flatMap((it) => parseCidr(it) ?? [])) {
    if (network.family !== 4 || !range.every((it) => contains(network, it))) continue;
    const address = addresses.flatMap((it) => parseAddress(it) ?? []).find((it) => contains(network, it));
    if (address) return { network, address };
  }
  return undefined;
}

/** One address per device. If two devices have the same, the first by id gets it: Kea refuses a second reservation. */
function reservationsIn(
  network: Parameters<typeof contains>[0],
  own: Address,
  devices: readonly IntentDevice[],
): Reservation[] {
  const taken = new Map<bigint, { readonly id: string; readonly mac: string }>();
  for (const { id, mac, ips } of devices) {
    if (mac === null) continue;
    const address = ips.flatMap((it) => parseAddress(it) ?? []).find((it) => contains(network, it));
    if (!address || address.value === own.value) continue;
    const before = taken.get(address.value);
    if (!before || id < before.id) taken.set(address.value, { id, mac });
  }
  return [...taken]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([value, { mac }]) => ({ mac, address: formatAddress({ family: 4, value }) }));
}
