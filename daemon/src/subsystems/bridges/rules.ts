import { formatAddress, parseAddress, parseCidr } from "@portcullis/contract/addresses";
import { Problem } from "@portcullis/contract/problem";
import { refuseField } from "../resources.ts";
import type { StagedBridge } from "./bridges.status.ts";

/** What stands around a bridge, and what it must not get into the way of. */
export interface OtherInterfaces {
  readonly others: readonly StagedBridge[];
  /** Interfaces behind which devices live. */
  readonly lan: readonly string[];
  readonly uplinks: readonly string[];
  /** Interfaces of tunnels. */
  readonly tunnels: readonly string[];
}

/** A bridge passes packets below the gate's eyes: what must meet the gate is never one of its ports. */
export function refuseImpossible(bridge: StagedBridge, { others, lan, uplinks, tunnels }: OtherInterfaces): void {
  const { interface: own, members, enabled } = bridge;
  const homes = new Map(others.flatMap((it) => it.members.map((member) => [member, it.name] as const)));
  if (reserved.has(own)) refuse("interface", own, "is a word the kernel keeps for itself");
  if (others.some((it) => it.interface === own)) refuse("interface", own, "is the interface of another bridge");
  if (tunnels.includes(own)) refuse("interface", own, "is the interface of a tunnel");
  if (homes.has(own)) refuse("interface", own, `is a port of the bridge ${homes.get(own)}`);

  for (const member of members) {
    if (reserved.has(member)) refuse("members", member, "cannot be a port of a bridge");
    if (uplinks.includes(member))
      refuse("members", member, "is an uplink: on a bridge, devices would reach it without passing the gate");
    if (tunnels.includes(member))
      refuse("members", member, "is a tunnel: on a bridge, devices would reach it without passing the gate");
    if (member === own || others.some((it) => it.interface === member))
      refuse("members", member, "is a bridge itself, and bridges cannot be ports of bridges");
    if (homes.has(member)) refuse("members", member, `is a port of the bridge ${homes.get(member)} already`);
    if (enabled && lan.includes(member))
      refuse(
        "members",
        member,
        "is a LAN interface of the gateway; name the bridge in network.lan_iface instead of it",
      );
  }
}

/** The LAN hangs on a bridge that the bootstrap file names: it cannot go, or be called otherwise, while it is on. */
export function refuseCutOff(before: StagedBridge, after: StagedBridge | undefined, lan: readonly string[]): void {
  const hangs = before.enabled && lan.includes(before.interface);
  if (hangs && !(after?.enabled && after.interface === before.interface))
    throw new Problem(
      "conflict",
      { interface: before.interface },
      {
        message: `The LAN hangs on ${before.interface}: without this bridge every device behind it is cut off. Take it out of network.lan_iface or network.more_lan_ifaces and restart first`,
      },
    );
}

/** `192.168.001.1/24` is no address, `FD00::1/64` has one spelling, and the host's part stays. */
export function normalizeAddresses(addresses: readonly string[]): string[] {
  const settled = addresses.map((text) => {
    const [written = "", bits] = text.split("/");
    const address = parseAddress(written);
    if (!address || !parseCidr(text)) return refuseField("addresses", "must be such as 192.168.1.1/24 or fd00::1/64");
    return `${formatAddress(address)}/${bits}`;
  });
  return [...new Set(settled)];
}

/** `Living room` → `br-living-room`, cut to what the kernel takes. Nothing sayable in the name: the id's last letters. */
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

/** The loopback, and what /proc/sys/net keeps beside the interfaces. */
const reserved: ReadonlySet<string> = new Set(["lo", "all", "default"]);

function refuse(field: "interface" | "members", value: string, problem: string): never {
  throw new Problem("conflict", { field, interface: value }, { message: `${value} ${problem}` });
}
