import type { IpFamily, IpListing } from "../system/iplisting.ts";

/** An interface with what leads through it. */
export interface ObservedLink {
  readonly name: string;
  readonly up: boolean;
  /** false: somebody has switched it off there. */
  readonly ipv6: boolean;
  readonly mtu: number;
  readonly vlan?: number;
  readonly gateways: { readonly v4?: string; readonly v6?: string };
  readonly addresses: readonly string[];
  readonly networks: readonly string[];
}

interface LinkJson {
  readonly ifname: string;
  readonly operstate: string;
  readonly mtu: number;
  readonly flags: readonly string[];
}
interface AddressJson {
  readonly ifname: string;
  readonly addr_info: readonly { readonly local: string; readonly scope: string }[];
}
interface RouteJson {
  /** Absent for a plain one. */
  readonly type?: string;
  /** Absent for those of the main table. */
  readonly table?: string;
  readonly dst: string;
  readonly gateway?: string;
  readonly dev?: string;
}

/** What the kernel says of interfaces that stay, and of the ways its own main table knows. */
export function observedLinksIn(
  { links, withoutIpv6, v4, v6 }: IpListing,
  isPassing: (link: string) => boolean,
): ObservedLink[] {
  const routes = { v4: mainRoutes(v4), v6: mainRoutes(v6) };
  const owned = [...parse<AddressJson>(v4.addresses), ...parse<AddressJson>(v6.addresses)];
  const gatewayOf = (family: "v4" | "v6", name: string): string | undefined =>
    routes[family].find(({ dst, dev, gateway }) => dst === "default" && dev === name && gateway !== undefined)?.gateway;
  const staying = parse<LinkJson>(links).filter(({ ifname }) => !isPassing(ifname));
  return staying.map(({ ifname: name, operstate, mtu, flags }) => {
    const own = owned.filter(({ ifname }) => ifname === name).flatMap(({ addr_info }) => addr_info);
    const vlan = /\.(\d{1,4})$/.exec(name)?.[1];
    const [gateway4, gateway6] = [gatewayOf("v4", name), gatewayOf("v6", name)];
    return {
      name,
      // Tunnels do not know whether anybody is at the other end and say UNKNOWN.
      up: flags.includes("UP") && (operstate === "UP" || operstate === "UNKNOWN"),
      ipv6: !withoutIpv6.includes(name),
      mtu,
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
