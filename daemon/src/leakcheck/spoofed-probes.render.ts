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
  /** From 1. */
  readonly number: number;
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

/** To be loaded when the link exists. The destination of a probe identifies it. */
export const renderSenderTable = (probes: readonly Probe[]): string => `table ${senderTable} {
	chain sender {
		type filter hook egress device "${probeLinks.near}" priority 0; policy accept;
${byFamily(probes, ({ destination, mac }) => `${destination} : ${mac}`)
  .map(({ word, elements }) => `\t\tether saddr set ${word} daddr map { ${elements} }\n`)
  .join("")}	}
}
`;

/** The elements of a map for each family that has any. */
const byFamily = (probes: readonly Probe[], elementOf: (probe: Probe) => string) =>
  (["ip", "ip6"] as const)
    .map((word) => ({ word, of: probes.filter(({ source }) => source.includes(":") === (word === "ip6")) }))
    .filter(({ of }) => of.length > 0)
    .map(({ word, of }) => ({ word, elements: of.map(elementOf).join(", ") }));

const routesVia = (via: string): string[] => [
  `neigh replace ${via} lladdr ${farMac} dev ${probeLinks.near}`,
  `route add default via ${via} dev ${probeLinks.near} onlink table ${probeTableNumber}`,
  `rule add oif ${probeLinks.near} lookup ${probeTableNumber} priority ${probeTableNumber}`,
  "",
];

/**
 * Rewrites each probe's source to the device's address, and records the interface by which it would leave. It does not
 * leave: after every other table it is dropped, also where it is allowed, so that no observer sees it. Arrivals are counted
 * first: a probe that never arrived would look like one that the guard blocked.
 */
export function renderProbeTable(probes: readonly Probe[], run: number, lan: string): string {
  const senderRules = byFamily(probes, ({ source, destination }) => `${destination} : ${source}`).map(
    ({ word, elements }) => `oifname "${probeLinks.near}" ${word} saddr set ${word} daddr map { ${elements} }`,
  );
  return `table ${probeTable} {
${probes.map(({ number }) => `\tset left_${number} {\n\t\ttype ifname\n\t\tsize 64\n\t\tflags dynamic\n\t}\n`).join("")}	counter arrived { }
	chain arrival {
		type filter hook prerouting priority -500; policy accept;
		iifname "${lan}" meta l4proto { icmp, ipv6-icmp } @th,${markAt},32 ${word(run)} counter name arrived
	}
	chain watch {
		type filter hook postrouting priority 2000; policy accept;
${senderRules.map((rule) => `\t\t${rule}\n`).join("")}		oifname "${probeLinks.near}" accept
		meta l4proto { icmp, ipv6-icmp } @th,${markAt},32 ${word(run)} jump seen
	}
	chain seen {
${probes.map(({ number }) => `\t\t@th,${markAt + 32},32 ${word(number)} add @left_${number} { oifname } drop\n`).join("")}		drop
	}
}
`;
}

/** After the ICMP header and the timestamp that ping writes before the pattern. */
const markAt = (8 + 16) * 8;
const word = (number: number): string => `0x${(number >>> 0).toString(16).padStart(8, "0")}`;

/** The payload pattern: the run, and the number of the probe. */
export const patternOf = (run: number, { number }: Probe): string =>
  [run, number].map((it) => word(it).slice(2)).join("");

interface Item {
  readonly set?: { readonly name: string; readonly elem?: readonly unknown[] };
  readonly counter?: { readonly name: string; readonly packets: number };
}

const itemsIn = (json: string): readonly Item[] => (JSON.parse(json) as { nftables?: readonly Item[] }).nftables ?? [];

/** How many probes arrived by the LAN. */
export const arrivalsIn = (json: string): number =>
  itemsIn(json).find(({ counter }) => counter?.name === "arrived")?.counter?.packets ?? 0;

/** `nft -j list table …` → probe → the interfaces by which it would have left. */
export const egressInterfacesIn = (json: string): ReadonlyMap<number, readonly string[]> =>
  new Map(
    itemsIn(json).flatMap(({ set }) => {
      const number = /^left_(\d+)$/.exec(set?.name ?? "")?.[1];
      return number === undefined ? [] : [[Number(number), (set!.elem ?? []).map(interfaceOf)] as const];
    }),
  );

const interfaceOf = (element: unknown): string =>
  typeof element === "string" ? element : (element as { elem: { val: string } }).elem.val;
