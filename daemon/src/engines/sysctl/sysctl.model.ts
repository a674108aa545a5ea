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

/** sysctl writes dots of an interface's name as slashes. */
const keyOf = (interfaceName: string, setting: string): string =>
  `net.ipv4.conf.${interfaceName.replaceAll(".", "/")}.${setting}`;

/** Where the kernel keeps a setting. An interface called lan0.10 is lan0/10 in a key. */
export const pathOf = (key: string): string =>
  `/proc/sys/${key.replace(/[./]/g, (sign) => (sign === "." ? "/" : "."))}`;
