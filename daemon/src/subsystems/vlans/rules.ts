import { Problem } from "@portcullis/contract/problem";
import type { PublishedVlan } from "@portcullis/contract/subsystems/vlans";
import { type Cidr, formatAddress, overlaps, parseAddress, parseCidr, parseHost } from "../../net/addresses.ts";
import { refuseField } from "../resources.ts";

/** What a VLAN must not conflict with. */
export interface OtherInterfaces {
  readonly others: readonly PublishedVlan[];
  /** LAN interfaces of the bootstrap file. */
  readonly lan: readonly string[];
  readonly uplinks: readonly string[];
  /** Interfaces of tunnels. */
  readonly tunnels: readonly string[];
  readonly bridges: readonly {
    readonly name: string;
    readonly interface: string;
    readonly members: readonly string[];
    readonly addresses: readonly string[];
  }[];
  /** The address that the bootstrap file gives to its LAN interface. */
  readonly lanAddresses: readonly { readonly interface: string; readonly address: string }[];
}

export function refuseImpossible(vlan: PublishedVlan, among: OtherInterfaces): void {
  const { interface: own, parent, vlan_id: id, role } = vlan;
  const { others, lan, uplinks, tunnels, bridges } = among;
  if (reserved.has(own)) refuse("interface", own, "is reserved by the kernel");
  if (others.some((it) => it.interface === own)) refuse("interface", own, "is the interface of another VLAN");
  if (others.some((it) => it.parent === own)) refuse("interface", own, "is the parent of another VLAN");
  if (tunnels.includes(own)) refuse("interface", own, "is the interface of a tunnel");
  if (bridges.some((it) => it.interface === own)) refuse("interface", own, "is the interface of a bridge");
  const home = bridges.find((it) => it.members.includes(own));
  if (home) refuse("interface", own, `is a port of the bridge ${home.name}`);
  if (role === "lan" && uplinks.includes(own)) refuse("interface", own, "is an uplink: its VLAN needs the role uplink");
  if (role === "uplink" && lan.includes(own))
    refuse("interface", own, "is a LAN interface of the bootstrap file: its VLAN needs the role lan");

  const taken = others.find((it) => it.parent === parent && it.vlan_id === id);
  if (taken) refuse("vlan_id", parent, `has VLAN ${id} already: ${taken.name}`);
  if (reserved.has(parent)) refuse("parent", parent, "cannot have VLANs");
  if (parent === own) refuse("parent", parent, "cannot be its own VLAN");
  if (others.some((it) => it.interface === parent)) refuse("parent", parent, "is a VLAN itself");
  if (tunnels.includes(parent)) refuse("parent", parent, "is a tunnel");
  const bridge = bridges.find((it) => it.members.includes(parent));
  if (bridge) refuse("parent", parent, `is a port of the bridge ${bridge.name}: name ${bridge.interface} instead`);
  refuseOverlap(vlan, among);
}

/** Two LANs with one network would have one route between them. */
function refuseOverlap({ interface: own, addresses }: PublishedVlan, among: OtherInterfaces): void {
  const taken = [
    ...among.others.flatMap((it) => it.addresses.map((address) => ({ address, at: `the VLAN ${it.name}` }))),
    ...among.bridges.flatMap((it) => it.addresses.map((address) => ({ address, at: `the bridge ${it.name}` }))),
    ...among.lanAddresses.filter((it) => it.interface !== own).map((it) => ({ ...it, at: it.interface })),
  ];
  for (const address of addresses) {
    const found = taken.find((it) => overlaps(networkOf(it.address), networkOf(address)));
    if (found) refuse("addresses", address, `overlaps with ${found.address} of ${found.at}`);
  }
}

const networkOf = (address: string): Cidr => parseCidr(address)!;

/** A VLAN that the bootstrap file or an uplink names cannot be deleted, renamed or disabled, nor get another role. */
export function refuseCutOff(
  before: PublishedVlan,
  after: PublishedVlan | undefined,
  { lan, uplinks }: Pick<OtherInterfaces, "lan" | "uplinks">,
): void {
  const { interface: own, enabled } = before;
  if (!enabled || (after?.enabled && after.interface === own && after.role === before.role)) return;
  if (lan.includes(own))
    refuse(
      "interface",
      own,
      "is a LAN interface: without this VLAN every device behind it is disconnected. Remove it from network.lan_iface or network.more_lan_ifaces and restart first",
    );
  if (uplinks.includes(own))
    refuse("interface", own, "is an uplink: remove it from the uplinks, or from network.wan_iface, first");
}

/** Canonical form of a host's address with the length of its network. */
export function normalizeAddresses(addresses: readonly string[]): string[] {
  const normalized = addresses.map((text) => {
    const [written = "", bits] = text.split("/");
    const address = parseAddress(written);
    if (!address || !parseCidr(text) || (address.family === 4 && !parseHost(text)))
      return refuseField(
        "addresses",
        `must be addresses of a host with the length of their network, such as 192.168.20.1/24 or fd00:20::1/64; not ${text}`,
      );
    return `${formatAddress(address)}/${bits}`;
  });
  return [...new Set(normalized)];
}

/** `eth1.10`, or `vlan10` if that is too long. */
export const interfaceFor = (parent: string, id: number): string =>
  `${parent}.${id}`.length <= maxInterfaceLength ? `${parent}.${id}` : `vlan${id}`;

const maxInterfaceLength = 15;

/** The loopback, and special names in /proc/sys/net. */
const reserved: ReadonlySet<string> = new Set(["lo", "all", "default"]);

function refuse(field: string, value: string, problem: string): never {
  throw new Problem("conflict", { field, value }, { message: `${value} ${problem}` });
}
