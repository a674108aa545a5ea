/** An interface as `ip` shows it. */
export interface ShownInterface {
  readonly name: string;
  readonly kind: "ethernet" | "bridge" | "vlan" | "tunnel" | "loopback" | "other";
  readonly mac: string | null;
  readonly addresses: readonly string[];
  /** Those of them with a lifetime. */
  readonly dynamic: readonly string[];
  readonly up: boolean;
  readonly carrier: boolean;
  readonly mtu: number;
  /** What it is a port of. */
  readonly master: string | null;
  /** What it lies on. */
  readonly parent: string | null;
  readonly received: Traffic;
  readonly sent: Traffic;
  readonly gateways: { readonly v4: string | null; readonly v6: string | null };
}

interface Traffic {
  readonly bytes: number;
  readonly dropped: number;
}

interface LinkJson {
  readonly ifname?: string;
  readonly flags?: readonly string[];
  readonly mtu?: number;
  readonly link?: string;
  readonly master?: string;
  readonly link_type?: string;
  readonly address?: string;
  readonly linkinfo?: { readonly info_kind?: string };
  readonly addr_info?: readonly AddressJson[];
  readonly stats64?: { readonly rx?: Partial<Traffic>; readonly tx?: Partial<Traffic> };
}

interface AddressJson {
  readonly local?: string;
  readonly prefixlen?: number;
  readonly dynamic?: boolean;
}

interface HopJson {
  readonly dev?: string;
  readonly gateway?: string;
  /** A next hop of the other family (RFC 5549). */
  readonly via?: { readonly host?: string };
}
interface RouteJson extends HopJson {
  readonly metric?: number;
  readonly nexthops?: readonly HopJson[];
}

/** What `ip -j -s -d` says to `address show`, and to `route show default` for either family. */
export function parseInterfaces(text: {
  readonly links: string;
  readonly v4: string;
  readonly v6: string;
}): ShownInterface[] {
  const gateways = { v4: gatewaysIn(text.v4), v6: gatewaysIn(text.v6) };
  return parse<LinkJson>(text.links).flatMap(({ ifname: name, flags = [], stats64, ...it }) =>
    name === undefined
      ? []
      : [
          {
            name,
            kind: kindOf(it),
            mac: it.link_type === "ether" ? (it.address?.toLowerCase() ?? null) : null,
            addresses: (it.addr_info ?? []).flatMap(written),
            dynamic: (it.addr_info ?? []).filter(({ dynamic }) => dynamic === true).flatMap(written),
            up: flags.includes("UP"),
            carrier: flags.includes("LOWER_UP"),
            mtu: it.mtu ?? 0,
            master: it.master ?? null,
            // Of a cable between two namespaces, `link` is the other end.
            parent: layered.has(it.linkinfo?.info_kind ?? "") ? (it.link ?? null) : null,
            received: { ...silent, ...stats64?.rx },
            sent: { ...silent, ...stats64?.tx },
            gateways: { v4: gateways.v4.get(name) ?? null, v6: gateways.v6.get(name) ?? null },
          },
        ],
  );
}

const written = ({ local, prefixlen }: AddressJson): string[] => (local === undefined ? [] : [`${local}/${prefixlen}`]);

const silent: Traffic = { bytes: 0, dropped: 0 };

const layered: ReadonlySet<string> = new Set(["vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec"]);

function kindOf({ link_type, linkinfo }: Pick<LinkJson, "link_type" | "linkinfo">): ShownInterface["kind"] {
  const kind = linkinfo?.info_kind;
  if (link_type === "loopback") return "loopback";
  if (kind === "bridge" || kind === "vlan") return kind;
  if (kind !== undefined && tunnels.has(kind)) return "tunnel";
  return link_type === "ether" && (kind === undefined || likeEthernet.has(kind)) ? "ethernet" : "other";
}

const tunnels: ReadonlySet<string> = new Set([
  "wireguard",
  "tun",
  "ovpn",
  "gre",
  "gretap",
  "ip6gre",
  "ip6gretap",
  "erspan",
  "ip6erspan",
  "ipip",
  "ip6tnl",
  "sit",
  "vti",
  "vti6",
  "xfrm",
  "vxlan",
  "geneve",
]);

/** What a person who plugs cables would call so: also ports of a switch, several cards as one, and a container's cable. */
const likeEthernet: ReadonlySet<string> = new Set(["veth", "dsa", "bond", "team", "macvlan"]);

/** Interface → next hop. The kernel prefers the lowest metric; no metric is none. */
function gatewaysIn(routes: string): ReadonlyMap<string, string> {
  const hops = parse<RouteJson>(routes)
    .toSorted((a, b) => (a.metric ?? 0) - (b.metric ?? 0))
    .flatMap(({ nexthops, ...only }) => nexthops ?? [only])
    .flatMap(({ dev, gateway, via }) => {
      const address = gateway ?? via?.host;
      return dev === undefined || address === undefined ? [] : [[dev, address] as const];
    });
  return new Map(hops.toReversed()); // The first of several stays.
}

const parse = <T>(json: string): T[] => JSON.parse(json || "[]") as T[];
