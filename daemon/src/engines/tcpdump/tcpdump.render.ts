import { sandboxed } from "../sandbox/sandbox.model.ts";

/** Not one of `ownUsers`: it sends nothing, so no packet has to be assigned to an egress. */
export const captureUser = 1_900_072_000;

/** What the link layer of an interface is for the compiler of filters. */
export type FilterLink = "ethernet" | "ip" | "cooked";

/** By the type that the kernel gives an interface (linux/if_arp.h). */
export function filterLinkOf(hardwareType: number): FilterLink {
  if (hardwareType === 1 || hardwareType === 772) return "ethernet";
  return ipOnly.includes(hardwareType) ? "ip" : "cooked";
}
/** IP in IP, IPv6 in IPv6, SIT, GRE, and without a link layer: WireGuard and tun. */
const ipOnly: readonly number[] = [768, 769, 776, 778, 65_534];

const linkNames: Readonly<Record<FilterLink, string>> = { ethernet: "EN10MB", ip: "RAW", cooked: "LINUX_SLL" };

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly files: readonly Uint8Array[];
}

/** Compiles a filter and opens no device. Its exit code and its complaint are the result. */
export const filterCheck = (filter: string, link: FilterLink, shown: Shown): Program =>
  inSandbox("tcpdump", ["-y", linkNames[link], "-d", "--", filter], shown);

/**
 * Writes packets to standard output in the format pcap. Not in promiscuous mode. Without --immediate-mode: the kernel passes packets on in
 * blocks, at least once a second, and its buffer holds 16 MiB of packets of any size.
 */
export const capture = (device: string, filter: string, shown: Shown): Program =>
  inSandbox("tcpdump", ["-p", "-n", "-U", "-B", "16384", "-w", "-", "-i", device, "--", filter], shown, {
    opensDevice: true,
  });

/** Prints all layers of the packets in the pcap file on its standard input, and resolves no names. */
export const dissection = (shown: Shown): Program => inSandbox("tshark", ["-n", "-V", "-r", "-"], shown);

/** Longest time that the kernel keeps a packet in an incomplete block. */
export const blockMs = 1000;

/** Files that contain names of ports and protocols: path in /etc → path here. */
export type Shown = Readonly<Record<string, string>>;

/** Without sockets for IP, names of hosts in a filter cannot be resolved; without calls that send, the packet socket only receives. */
const inSandbox = (
  command: string,
  args: readonly string[],
  shown: Shown,
  { opensDevice = false }: { readonly opensDevice?: boolean } = {},
): Program =>
  sandboxed({
    command,
    args,
    userId: captureUser,
    shown,
    privileges: opensDevice ? ["net_raw"] : [],
    rules: { packetSockets: opensDevice, receivesOnly: true },
    port: unprivilegedPort,
  });

/** It listens on no port. */
const unprivilegedPort = 65_535;
