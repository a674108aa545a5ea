import type { System } from "../system/system.ts";

/** An interface with what leads through it. */
export interface Surrounding {
  readonly name: string;
  readonly up: boolean;
  readonly vlan?: number;
  readonly gateways: { readonly v4?: string; readonly v6?: string };
  readonly addresses: readonly string[];
  readonly networks: readonly string[];
}

interface LinkJson {
  readonly ifname: string;
  readonly operstate: string;
  readonly flags: readonly string[];
  readonly addr_info: readonly { readonly local: string; readonly scope: string }[];
}
interface RouteJson {
  readonly dst: string;
  readonly gateway?: string;
  readonly dev?: string;
  readonly scope?: string;
  readonly protocol?: string;
}

/** What the kernel says of interfaces and of the ways its own main table knows. Two programs, not three: each costs. */
export async function readSurroundings(system: System): Promise<Surrounding[]> {
  const [first, v6] = await Promise.all([
    system.run("ip", ["-j", "-batch", "-"], { stdin: "address show\nroute show table main\n" }),
    system.run("ip", ["-6", "-j", "route", "show", "table", "main"]),
  ]);
  const [links = "", v4 = ""] = first.trim().split("\n");
  return parseSurroundings(links, v4, v6);
}

export function parseSurroundings(links: string, v4: string, v6: string): Surrounding[] {
  const routes = { v4: JSON.parse(v4 || "[]") as RouteJson[], v6: JSON.parse(v6 || "[]") as RouteJson[] };
  const gatewayOf = (family: "v4" | "v6", name: string): string | undefined =>
    routes[family].find(({ dst, dev, gateway }) => dst === "default" && dev === name && gateway !== undefined)?.gateway;
  return (JSON.parse(links) as LinkJson[]).map(({ ifname: name, operstate, flags, addr_info: own }) => {
    const vlan = /\.(\d{1,4})$/.exec(name)?.[1];
    const [gateway4, gateway6] = [gatewayOf("v4", name), gatewayOf("v6", name)];
    return {
      name,
      // Tunnels do not know whether anybody is at the other end and say UNKNOWN.
      up: flags.includes("UP") && (operstate === "UP" || operstate === "UNKNOWN"),
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
