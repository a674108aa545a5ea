import type { IpFamily, IpListing } from "../system/iplisting.ts";

/** An interface with its addresses and connected networks. */
export interface ObservedLink {
  readonly name: string;
  readonly index: number;
  readonly up: boolean;
  /** false: IPv6 is disabled on it. */
  readonly ipv6: boolean;
  readonly mtu: number;
  readonly lower?: string;
  readonly vlan?: number;
  readonly gateways: { readonly v4?: string; readonly v6?: string };
  readonly addresses: readonly string[];
  readonly networks: readonly string[];
}

interface LinkJson {
  readonly ifindex: number;
  readonly ifname: string;
  /** The interface below it, of a VLAN; the peer, of a veth. */
  readonly link?: string;
  readonly operstate: string;
  readonly mtu: number;
  readonly flags: readonly string[];
}
interface AddressJson {
  readonly ifname: string;
  readonly addr_info: readonly { readonly local: string; readonly scope: string }[];
}
interface RouteJson {
  /** Absent for a unicast route. */
  readonly type?: string;
  /** Absent for routes of the main table. */
  readonly table?: string;
  readonly dst: string;
  readonly gateway?: string;
  readonly dev?: string;
}

/** Permanent interfaces, and the routes of the main table. */
export function observedLinksIn(
  { links, withoutIpv6, v4, v6 }: IpListing,
  isTemporary: (link: string) => boolean,
): ObservedLink[] {
  const routes = { v4: mainRoutes(v4), v6: mainRoutes(v6) };
  const owned = [...parse<AddressJson>(v4.addresses), ...parse<AddressJson>(v6.addresses)];
  const gatewayOf = (family: "v4" | "v6", name: string): string | undefined =>
    routes[family].find(({ dst, dev, gateway }) => dst === "default" && dev === name && gateway !== undefined)?.gateway;
  const permanent = parse<LinkJson>(links).filter(({ ifname }) => !isTemporary(ifname));
  return permanent.map(({ ifname: name, ifindex: index, link: lower, operstate, mtu, flags }) => {
    const own = owned.filter(({ ifname }) => ifname === name).flatMap(({ addr_info }) => addr_info);
    const vlan = /\.(\d{1,4})$/.exec(name)?.[1];
    const [gateway4, gateway6] = [gatewayOf("v4", name), gatewayOf("v6", name)];
    return {
      name,
      index,
      // Tunnel devices have no link detection and report UNKNOWN.
      up: flags.includes("UP") && (operstate === "UP" || operstate === "UNKNOWN"),
      ipv6: !withoutIpv6.includes(name),
      mtu,
      ...(lower !== undefined && { lower }),
      ...(vlan !== undefined && { vlan: Number(vlan) }),
      gateways: { ...(gateway4 !== undefined && { v4: gateway4 }), ...(gateway6 !== undefined && { v6: gateway6 }) },
      addresses: own.filter(({ scope }) => scope === "global").map(({ local }) => local),
      networks: [...routes.v4, ...routes.v6]
        .filter(
          ({ dst, dev, gateway }) =>
            dev === name &&
            gateway === undefined &&
            dst.includes("/") &&
            !dst.startsWith("fe80") &&
            !dst.startsWith("ff"),
        )
        .map(({ dst }) => dst),
    };
  });
}

const parse = <T>(json: string): T[] => JSON.parse(json) as T[];

const mainRoutes = ({ routes }: IpFamily): RouteJson[] =>
  parse<RouteJson>(routes).filter(({ table, type }) => table === undefined && type === undefined);
