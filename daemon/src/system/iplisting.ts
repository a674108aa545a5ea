import type { System } from "./system.ts";

/** What `ip -j` shows, each part the text of a JSON list. */
export interface IpListing {
  readonly links: string;
  /** Names of links where somebody has switched IPv6 off, which `ip` does not tell. */
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

const questions = ["address show", "rule show", "route show table all"];

/** Everything `ip` knows, by two programs: to start one costs more than its answer. */
export async function readIp(system: System): Promise<IpListing> {
  const ask = async (family: 4 | 6, commands: readonly string[]): Promise<string[]> => {
    const stdin = `${commands.join("\n")}\n`;
    return (await system.run("ip", [`-${family}`, "-j", "-batch", "-"], { stdin })).trim().split("\n");
  };
  const [[links = "[]", ...v4], v6] = await Promise.all([ask(4, ["link show", ...questions]), ask(6, questions)]);
  const names = (JSON.parse(links) as { ifname: string }[]).map(({ ifname }) => ifname);
  const isSwitchedOff = (name: string): boolean =>
    system.readText(`/proc/sys/net/ipv6/conf/${name}/disable_ipv6`)?.trim() === "1";
  return { links, withoutIpv6: names.filter(isSwitchedOff), v4: familyOf(v4), v6: familyOf(v6) };
}

const familyOf = ([addresses = "[]", rules = "[]", routes = "[]"]: readonly string[]): IpFamily => ({
  addresses,
  rules,
  routes,
});
