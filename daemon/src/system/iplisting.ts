import type { System } from "./system.ts";

/** What `ip -j` shows, each part the text of a JSON list. */
export interface IpListing {
  readonly links: string;
  /** Names of links with IPv6 disabled, which `ip` does not show. */
  readonly withoutIpv6: readonly string[];
  readonly v4: IpFamily;
  readonly v6: IpFamily;
}

export interface IpFamily {
  readonly addresses: string;
  readonly rules: string;
  /** Of all tables. */
  readonly routes: string;
}

const commands = ["address show", "rule show", "route show table all"];

/** Everything `ip` knows, by two programs: to start one costs more than its answer. */
export async function readIp(system: System): Promise<IpListing> {
  const ask = async (family: 4 | 6, commands: readonly string[]): Promise<string[]> => {
    const stdin = `${commands.join("\n")}\n`;
    return (await system.run("ip", [`-${family}`, "-j", "-batch", "-"], { stdin })).trim().split("\n");
  };
  const [[links = "[]", ...v4], v6] = await Promise.all([ask(4, ["link show", ...commands]), ask(6, commands)]);
  const names = (JSON.parse(links) as { ifname: string }[]).map(({ ifname }) => ifname);
  const isSwitchedOff = (name: string): boolean =>
    system.readText(`/proc/sys/net/ipv6/conf/${name}/disable_ipv6`)?.trim() === "1";
  const listing = { links, withoutIpv6: names.filter(isSwitchedOff), v4: familyOf(v4), v6: familyOf(v6) };
  const odd = new Set(names.filter((name) => !plainName.test(name)));
  return odd.size === 0 ? listing : without(odd, listing);
}

/**
 * Names that can stand between quotation marks in a rule, and as one word in a command. The kernel allows more; links with
 * such names are as if they were not there, so that nothing is forwarded by them.
 */
const plainName = /^(?!\.{1,2}$)[!$-&(),-.0-9;-[\]-~+]{1,15}$/;

function without(odd: ReadonlySet<string>, { links, withoutIpv6, v4, v6 }: IpListing): IpListing {
  const kept = (json: string): string => JSON.stringify((JSON.parse(json) as Located[]).filter((it) => !isOf(it, odd)));
  const family = ({ addresses, rules, routes }: IpFamily): IpFamily => ({
    addresses: kept(addresses),
    rules: kept(rules),
    routes: kept(routes),
  });
  return {
    links: kept(links),
    withoutIpv6: withoutIpv6.filter((name) => !odd.has(name)),
    v4: family(v4),
    v6: family(v6),
  };
}

/** A link, an address, a rule or a route, by the links it names. */
interface Located {
  readonly ifname?: string;
  readonly dev?: string;
  readonly iif?: string;
  readonly oif?: string;
}

const isOf = ({ ifname, dev, iif, oif }: Located, odd: ReadonlySet<string>): boolean =>
  [ifname, dev, iif, oif].some((name) => name !== undefined && odd.has(name));

const familyOf = ([addresses = "[]", rules = "[]", routes = "[]"]: readonly string[]): IpFamily => ({
  addresses,
  rules,
  routes,
});
