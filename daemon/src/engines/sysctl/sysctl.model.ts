/** Kernel setting → value. */
export type Settings = Readonly<Record<string, string>>;

export const acceptLocalKey = "net.ipv4.conf.all.accept_local";

/** Milliseconds between two ICMP errors to one device; a few may follow each other at once. The kernel's IPv6 has 100. */
export const icmpIntervalKey = "net.ipv4.icmp_ratelimit";

/** Whether connections have counters of packets and bytes: those that begin while it is 1. */
export const accountingKey = "net.netfilter.nf_conntrack_acct";

export const reversePathKey = (interfaceName: string): string => keyOf(interfaceName, "rp_filter");
/** Which ARP requests are answered: 1: for addresses of that interface only, 2: and from their network only. */
export const arpIgnoreKey = (interfaceName: string): string => keyOf(interfaceName, "arp_ignore");
/** The source address of ARP requests: 2: one of that interface, whatever packet waits for the answer. */
export const arpAnnounceKey = (interfaceName: string): string => keyOf(interfaceName, "arp_announce");

/** Whether ICMP redirects are sent. One interface that allows it, or `all`, is enough. */
export const sendRedirectsKey = (interfaceName: string): string => keyOf(interfaceName, "send_redirects");

/**
 * Entries of the kernel's tables of neighbours: above the first number old ones are removed at once, above the second no new one is
 * made, and packets to a device without an entry are dropped. The kernel's own numbers, 512 and 1,024 for the whole machine, are those of
 * a host: a LAN may have 10,000 devices, in IPv6 with several addresses each. An entry takes about half a kilobyte. Larger numbers that the machine has
 * already are left as they are. In network namespaces there is no such setting.
 */
export const leastLimits: Settings = Object.fromEntries(
  ["ipv4", "ipv6"].flatMap((family) => [
    [`net.${family}.neigh.default.gc_thresh2`, "16384"],
    [`net.${family}.neigh.default.gc_thresh3`, "32768"],
  ]),
);

/** sysctl writes dots of an interface's name as slashes. */
const keyOf = (interfaceName: string, setting: string): string =>
  `net.ipv4.conf.${interfaceName.replaceAll(".", "/")}.${setting}`;

/** Where the kernel keeps a setting. An interface called lan0.10 is lan0/10 in a key. */
export const pathOf = (key: string): string =>
  `/proc/sys/${key.replace(/[./]/g, (sign) => (sign === "." ? "/" : "."))}`;
