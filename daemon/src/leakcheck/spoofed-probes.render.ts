/** Stands only while an attack runs. */
export const probeTable = "inet portcullis_probe";

/** The two ends of a wire that leads back into a LAN. They come and go with an attack and belong to no network. */
export const probeLinks = { near: "pc-probe0", far: "pc-probe1" } as const;
export const isProbeLink = (name: string): boolean => name === probeLinks.near || name === probeLinks.far;

const farMac = "02:70:63:00:00:01";
/** Nobody routes these: link-local, and one of the private networks that nobody else has drawn. */
const own = { v4: "169.254.112.1", v6: "fd70:6f72:7463:756c::1" } as const;
const next = { v4: "169.254.112.2", v6: "fd70:6f72:7463:756c::2" } as const;
/** Before every rule of ours, and of nobody but whoever sends by this wire. */
export const probeRoute = 6990;

/** A packet as a device would send it. */
export interface Probe {
  /** 1 and on. */
  readonly number: number;
  readonly mac: string;
  readonly source: string;
  readonly destination: string;
}

/** Makes the wire: for `ip` by family, then for `tc`. */
export const layWire = (lan: string): { readonly v4: string; readonly v6: string; readonly tc: string } => ({
  v4: [
    `link add ${probeLinks.near} address 02:70:63:00:00:00 type veth peer name ${probeLinks.far} address ${farMac}`,
    `link set ${probeLinks.near} addrgenmode none`,
    `link set ${probeLinks.far} addrgenmode none`,
    `link set ${probeLinks.near} up`,
    `link set ${probeLinks.far} up`,
    `address add ${own.v4}/32 dev ${probeLinks.near}`,
    ...ways(next.v4),
  ].join("\n"),
  v6: [`address add ${own.v6}/128 dev ${probeLinks.near} nodad`, ...ways(next.v6)].join("\n"),
  tc: [
    `qdisc add dev ${probeLinks.far} clsact`,
    `filter add dev ${probeLinks.far} ingress protocol all u32 match u32 0 0 action mirred ingress redirect dev ${lan}`,
    "",
  ].join("\n"),
});

/** Whoever changes its MAC forgets its neighbours, also those it was told of. */
export const pretendToBe = (mac: string): string =>
  [
    `link set ${probeLinks.near} address ${mac}`,
    ...[next.v4, next.v6].map((via) => `neigh replace ${via} lladdr ${farMac} dev ${probeLinks.near}`),
    "",
  ].join("\n");

const ways = (via: string): string[] => [
  `route add default via ${via} dev ${probeLinks.near} onlink table ${probeRoute}`,
  `rule add oif ${probeLinks.near} lookup ${probeRoute} priority ${probeRoute}`,
  "",
];

/**
 * Gives each probe the device's address as it goes into the wire, and writes down by which interface it would leave. It
 * does not leave: behind every other table it is dropped, also where it may go, so that an attack shows nothing to anybody.
 * What arrived is counted first of all: a probe that was never there would look like a gate that is shut.
 */
export function renderWatch(probes: readonly Probe[], run: number, lan: string): string {
  const senders = (family: 4 | 6) =>
    probes
      .filter(({ source }) => source.includes(":") === (family === 6))
      .map(({ source, destination }) => `${destination} : ${source}`)
      .join(", ");
  const given = ([4, 6] as const).flatMap((family) => {
    const word = family === 4 ? "ip" : "ip6";
    const all = senders(family);
    return all === "" ? [] : [`oifname "${probeLinks.near}" ${word} saddr set ${word} daddr map { ${all} }`];
  });
  return `table ${probeTable} {
${probes.map(({ number }) => `\tset left_${number} {\n\t\ttype ifname\n\t\tsize 64\n\t\tflags dynamic\n\t}\n`).join("")}	counter arrived { }
	chain arrival {
		type filter hook prerouting priority -500; policy accept;
		iifname "${lan}" meta l4proto { icmp, ipv6-icmp } @th,${markAt},32 ${word(run)} counter name arrived
	}
	chain watch {
		type filter hook postrouting priority 2000; policy accept;
${given.map((rule) => `\t\t${rule}\n`).join("")}		oifname "${probeLinks.near}" accept
		meta l4proto { icmp, ipv6-icmp } @th,${markAt},32 ${word(run)} jump seen
	}
	chain seen {
${probes.map(({ number }) => `\t\t@th,${markAt + 32},32 ${word(number)} add @left_${number} { oifname } drop\n`).join("")}		drop
	}
}
`;
}

/** ICMP's own header, and the time that ping writes before what it was told to write. */
const markAt = (8 + 16) * 8;
const word = (number: number): string => `0x${(number >>> 0).toString(16).padStart(8, "0")}`;

/** What ping fills a packet with: whose attack, and which probe. */
export const patternOf = (run: number, { number }: Probe): string =>
  [run, number].map((it) => word(it).slice(2)).join("");

interface Item {
  readonly set?: { readonly name: string; readonly elem?: readonly unknown[] };
  readonly counter?: { readonly name: string; readonly packets: number };
}

const itemsIn = (json: string): readonly Item[] => (JSON.parse(json) as { nftables?: readonly Item[] }).nftables ?? [];

/** How many probes came in by the LAN. */
export const arrivalsIn = (json: string): number =>
  itemsIn(json).find(({ counter }) => counter?.name === "arrived")?.counter?.packets ?? 0;

/** `nft -j list table …` → probe → the interfaces by which it would have left. */
export const sightingsIn = (json: string): ReadonlyMap<number, readonly string[]> =>
  new Map(
    itemsIn(json).flatMap(({ set }) => {
      const number = /^left_(\d+)$/.exec(set?.name ?? "")?.[1];
      return number === undefined ? [] : [[Number(number), (set!.elem ?? []).map(interfaceOf)] as const];
    }),
  );

const interfaceOf = (element: unknown): string =>
  typeof element === "string" ? element : (element as { elem: { val: string } }).elem.val;
