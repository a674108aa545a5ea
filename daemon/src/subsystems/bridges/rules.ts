import { formatAddress, parseAddress, parseCidr } from "../../net/addresses.ts";
import { Problem } from "@portcullis/contract/problem";
import { refuseField } from "../resources.ts";
import type { StagedBridge } from "./bridges.status.ts";

/** The other interfaces that a bridge must not conflict with. */
export interface OtherInterfaces {
  readonly others: readonly StagedBridge[];
  /** LAN interfaces. */
  readonly lan: readonly string[];
  readonly uplinks: readonly string[];
  /** Interfaces of tunnels. */
  readonly tunnels: readonly string[];
  /** VLANs of the gateway, and the interfaces on which they are. */
  readonly vlans: readonly { readonly name: string; readonly interface: string; readonly parent: string }[];
}

/** A bridge forwards on layer 2, without the gateway's rules: uplinks and tunnels must not be its ports. */
export function refuseImpossible(
  bridge: StagedBridge,
  { others, lan, uplinks, tunnels, vlans }: OtherInterfaces,
): void {
  const { interface: own, members, enabled } = bridge;
  const homes = new Map(others.flatMap((it) => it.members.map((member) => [member, it.name] as const)));
  if (reserved.has(own)) refuse("interface", own, "is reserved by the kernel");
  if (others.some((it) => it.interface === own)) refuse("interface", own, "is the interface of another bridge");
  if (tunnels.includes(own)) refuse("interface", own, "is the interface of a tunnel");
  if (vlans.some((it) => it.interface === own)) refuse("interface", own, "is the interface of a VLAN");
  if (homes.has(own)) refuse("interface", own, `is a port of the bridge ${homes.get(own)}`);

  for (const member of members) {
    if (reserved.has(member)) refuse("members", member, "cannot be a port of a bridge");
    if (uplinks.includes(member))
      refuse("members", member, "is an uplink: on a bridge, devices would reach it without the gateway's rules");
    if (tunnels.includes(member))
      refuse("members", member, "is a tunnel: on a bridge, devices would reach it without the gateway's rules");
    if (member === own || others.some((it) => it.interface === member))
      refuse("members", member, "is a bridge itself, and bridges cannot be ports of bridges");
    const vlan = vlans.find((it) => it.interface === member || it.parent === member);
    if (vlan?.interface === member)
      refuse(
        "members",
        member,
        `is the VLAN ${vlan.name}, whose devices must not reach other ports without the gateway's rules`,
      );
    if (vlan) refuse("members", member, `is the parent of the VLAN ${vlan.name}: name the bridge as its parent`);
    if (homes.has(member)) refuse("members", member, `is a port of the bridge ${homes.get(member)} already`);
    if (enabled && lan.includes(member))
      refuse(
        "members",
        member,
        "is a LAN interface of the gateway; name the bridge in network.lan_iface instead of it",
      );
  }
}

/** A bridge that the bootstrap file names as LAN interface cannot be deleted, renamed or disabled. */
export function refuseCutOff(
  before: StagedBridge,
  after: StagedBridge | undefined,
  { lan, vlans }: Pick<OtherInterfaces, "lan" | "vlans">,
): void {
  if (!before.enabled || (after?.enabled && after.interface === before.interface)) return;
  const vlan = vlans.find((it) => it.parent === before.interface);
  if (vlan) refuse("interface", before.interface, `is the parent of the VLAN ${vlan.name}: delete that first`);
  if (lan.includes(before.interface))
    throw new Problem(
      "conflict",
      { interface: before.interface },
      {
        message: `${before.interface} is a LAN interface: without this bridge every device behind it is disconnected. Remove it from network.lan_iface or network.more_lan_ifaces and restart first`,
      },
    );
}

/** Canonical form; the host part is kept. `192.168.001.1/24` is refused. */
export function normalizeAddresses(addresses: readonly string[]): string[] {
  const normalized = addresses.map((text) => {
    const [written = "", bits] = text.split("/");
    const address = parseAddress(written);
    if (!address || !parseCidr(text)) return refuseField("addresses", "must be such as 192.168.1.1/24 or fd00::1/64");
    return `${formatAddress(address)}/${bits}`;
  });
  return [...new Set(normalized)];
}

/** `Guest Wi-Fi` → `br-guest-wi-fi`, cut to the maximum length. Without Latin letters and digits: the end of the id. */
export function interfaceFor(name: string, id: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, maxInterfaceLength - "br-".length)
    .replace(/-$/, "");
  return `br-${slug || id.slice(-8)}`;
}

const maxInterfaceLength = 15;

/** The loopback, and special names in /proc/sys/net. */
const reserved: ReadonlySet<string> = new Set(["lo", "all", "default"]);

function refuse(field: "interface" | "members", value: string, problem: string): never {
  throw new Problem("conflict", { field, interface: value }, { message: `${value} ${problem}` });
}
