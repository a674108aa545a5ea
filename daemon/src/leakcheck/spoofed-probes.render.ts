/** Exists only while probes are sent. */
export const probeTable = "inet portcullis_probe";
/** Gives each probe the MAC of its device as it enters the veth pair. */
export const senderTable = "netdev portcullis_probe";

/** A veth pair that leads back into a LAN. It exists only while probes are sent and belongs to no network. */
export const probeLinks = { near: "pc-probe0", far: "pc-probe1" } as const;
export const isProbeLink = (name: string): boolean => name === probeLinks.near || name === probeLinks.far;

const farMac = "02:70:63:00:00:01";
/** Not routed: a link-local address, and a random unique local prefix. */
const own = { v4: "169.254.112.1", v6: "fd70:6f72:7463:756c::1" } as const;
const next = { v4: "169.254.112.2", v6: "fd70:6f72:7463:756c::2" } as const;
/** Before every rule of ours; it matches only packets that leave by the veth pair. */
export const probeTableNumber = 6990;

/** A packet with the sender of a device. */
export interface Probe {
  /** From 1, and of no other probe of its run. */
  readonly number: number;
  /** Of the ICMP echo request, from 1 in each family: what `ping` sends in one call. */
  readonly sequence: number;
  readonly family: 4 | 6;
  readonly mac: string;
  readonly source: string;
  readonly destination: string;
}

/** Creates the veth pair: input of `ip` by family, then of `tc`. */
export const createProbeLink = (lan: string): { readonly v4: string; readonly v6: string; readonly tc: string } => ({
  v4: [
    `link add ${probeLinks.near} address 02:70:63:00:00:00 type veth peer name ${probeLinks.far} address ${farMac}`,
    `link set ${probeLinks.near} addrgenmode none`,
    `link set ${probeLinks.far} addrgenmode none`,
    `link set ${probeLinks.near} up`,
    `link set ${probeLinks.far} up`,
    `address add ${own.v4}/32 dev ${probeLinks.near}`,
    ...routesVia(next.v4),
  ].join("\n"),
  v6: [`address add ${own.v6}/128 dev ${probeLinks.near} nodad`, ...routesVia(next.v6)].join("\n"),
  tc: [
    `qdisc add dev ${probeLinks.far} clsact`,
    `filter add dev ${probeLinks.far} ingress protocol all u32 match u32 0 0 action mirred ingress redirect dev ${lan}`,
    "",
  ].join("\n"),
});

/** To be loaded when the link exists. */
export const renderSenderTable = (probes: readonly Probe[]): string => `table ${senderTable} {
	chain sender {
		type filter hook egress device "${probeLinks.near}" priority 0; policy accept;
${rewrites(probes, "ether saddr", "mac")}	}
}
`;

/** Sets a field of each probe, by its sequence number: one rule per family. `IP` stands for the family's own header. */
const rewrites = (
  probes: readonly Probe[],
  field: string,
  value: "mac" | "source" | "destination" | "number",
): string =>
  families
    .map((it) => ({ ...it, of: probes.filter(({ family }) => family === it.family) }))
    .filter(({ of }) => of.length > 0)
    .map(({ protocol, header, ip, of }) => {
      const elements = of.map((probe) => `${probe.sequence} : ${probe[value]}`).join(", ");
      return `\t\tmeta l4proto ${protocol} ${field.replace("IP", ip)} set ${header} sequence map { ${elements} }\n`;
    })
    .join("");

const families = [
  { family: 4, ip: "ip", protocol: "icmp", header: "icmp" },
  { family: 6, ip: "ip6", protocol: "ipv6-icmp", header: "icmpv6" },
] as const;

const routesVia = (via: string): string[] => [
  `neigh replace ${via} lladdr ${farMac} dev ${probeLinks.near}`,
  `route add default via ${via} dev ${probeLinks.near} onlink table ${probeTableNumber}`,
  `rule add oif ${probeLinks.near} lookup ${probeTableNumber} priority ${probeTableNumber}`,
  "",
];

/**
 * Gives each probe the addresses of its device and of its destination, and records the interface by which it would leave. It
 * does not leave: after every other table it is dropped, also where it is allowed, so that no observer sees it. Arrivals are
 * counted first: a probe that never arrived would look like one that the guard blocked. The number of a probe is recorded as
 * its mark, which nothing reads after that: nft lists a sequence number in the byte order of the packet.
 */
export const renderProbeTable = (probes: readonly Probe[], run: number, lan: string): string => `table ${probeTable} {
	set left {
		type mark . ifname
		size 65536
		flags dynamic
	}
	set arrived {
		type ifname
		size 1
		flags dynamic
		counter
	}
	chain arrival {
		type filter hook prerouting priority -500; policy accept;
		iifname "${lan}" ${markOf(run)} add @arrived { iifname }
	}
	chain watch {
		type filter hook postrouting priority 2000; policy accept;
		oifname "${probeLinks.near}" goto sender
		${markOf(run)} jump seen
	}
	chain sender {
${rewrites(probes, "IP saddr", "source")}${rewrites(probes, "IP daddr", "destination")}	}
	chain seen {
${rewrites(probes, "meta mark", "number")}		add @left { meta mark . oifname }
		drop
	}
}
`;

/** The run, which `ping` repeats in the payload after the ICMP header and its timestamp. */
const markOf = (run: number): string => `meta l4proto { icmp, ipv6-icmp } @th,${(8 + 16) * 8},32 0x${patternOf(run)}`;
export const patternOf = (run: number): string => (run >>> 0).toString(16).padStart(8, "0");

type Element<Key> = Key | { readonly elem: { readonly val: Key; readonly counter?: { readonly packets: number } } };
interface Item<Key> {
  readonly set?: { readonly elem?: readonly Element<Key>[] };
}

/** Only a set is listed quickly: for a counter nft 1.0.6 reads every table of the kernel. */
const elementsIn = <Key>(json: string): Element<Key>[] =>
  ((JSON.parse(json) as { nftables?: readonly Item<Key>[] }).nftables ?? []).flatMap(({ set }) => set?.elem ?? []);

/** `nft -j list set …` → how many probes arrived by the LAN. */
export const arrivalsIn = (json: string): number =>
  elementsIn<string>(json).reduce((sum, it) => sum + (typeof it === "string" ? 0 : (it.elem.counter?.packets ?? 0)), 0);

/** `nft -j list set …` → number of a probe → the interfaces by which it would have left. */
export const egressInterfacesIn = (json: string): ReadonlyMap<number, readonly string[]> => {
  const pairs = elementsIn<Pair>(json).map((it) => ("elem" in it ? it.elem.val : it).concat);
  const byNumber = Map.groupBy(pairs, ([number]) => number);
  return new Map([...byNumber].map(([number, of]) => [number, of.map(([, name]) => name)]));
};

interface Pair {
  readonly concat: readonly [number, string];
}
