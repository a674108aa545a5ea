import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { socksListenerEngine } from "../daemon/src/engines/socks-listener/socks-listener.engine.ts";
import { supervisor } from "../daemon/src/engines/supervisor/supervisor.ts";
import { watchCommits } from "../daemon/src/engines/nftables/commits.ts";
import { renderNat } from "../daemon/src/engines/nftables/steering/nat.render.ts";
import { guardEngine } from "../daemon/src/engines/nftables/nftables.engine.ts";
import { redirectEngine } from "../daemon/src/engines/nftables/redirect/redirect.engine.ts";
import { redsocksEngine } from "../daemon/src/engines/redsocks/redsocks.engine.ts";
import { readIp } from "../daemon/src/system/iplisting.ts";
import type { System } from "../daemon/src/system/system.ts";
import { type Script, startScript } from "./script.ts";
import { bring } from "./loader.ts";
import type { Host, Lab } from "./namespaces.ts";
import { systemOn } from "./system.ts";
import { startFlowServer } from "./flow.ts";

/** Addresses. The gateway's own default route is wan0, not t1. */
export const addresses = {
  web: "203.0.113.5",
  web6: "2001:db8:f::5",
  proxy: "203.0.113.130",
  wan: "198.51.100.2",
  t1: "192.0.2.1",
  t16: "2001:db8:1::1",
} as const;
export const proxyEgress = 0x31;
export const t1Mark = 0x8000_0002;
const wanMark = 0x8000_0001;

/** A device behind a gateway with two egresses; outside a web server, a DNS server and a host for a proxy. */
export interface ProxyTopology {
  readonly device: Host;
  readonly gateway: Host;
  readonly proxy: Host;
  readonly dnsServer: Script;
  /** Where everything of the device is sent. */
  steer(egress: number): Promise<void>;
  /** Loads the guard, again if another program has changed it. */
  loadGuard(): Promise<void>;
  /** Packets that left the gateway through each egress since the previous call. */
  counted(): Promise<{ readonly wan: number; readonly t1: number }>;
  /** Packets outside with a destination on the LAN. */
  toLan(): Promise<number>;
  /** What ever came by t1 with an address that is not the gateway's there. */
  unexpectedSource(): Promise<number>;
}

export async function openProxyTopology(lab: Lab): Promise<ProxyTopology> {
  const [device, gateway] = [await lab.host("dev"), await lab.host("gw")];
  const [internet, proxy] = [await lab.host("world"), await lab.host("proxy")];
  const cable = (a: Host, from: string, at: string, b: Host, to: string, there: string) =>
    lab.cable(
      { host: a, device: from, addresses: at.split(" ") },
      { host: b, device: to, addresses: there.split(" ") },
    );
  await cable(device, "eth0", "10.0.0.2/24", gateway, "lan0", "10.0.0.1/24");
  await cable(gateway, "wan0", `${addresses.wan}/24`, internet, "from-wan0", "198.51.100.1/24");
  await cable(
    gateway,
    "t1",
    `${addresses.t1}/24 ${addresses.t16}/64`,
    internet,
    "from-t1",
    "192.0.2.2/24 2001:db8:1::2/64",
  );
  await cable(proxy, "eth0", `${addresses.proxy}/25`, internet, "to-proxy", "203.0.113.129/25");
  for (const address of [`${addresses.web}/32`, `${addresses.web6}/128`])
    await internet.run("ip", "address", "add", address, "dev", "lo", "nodad");
  for (const [host, via] of [
    [device, "10.0.0.1"],
    [gateway, "198.51.100.1"],
    [proxy, "203.0.113.129"],
  ] as const)
    await host.run("ip", "route", "add", "default", "via", via);
  for (const host of [gateway, internet]) await host.run("sysctl", "-qw", "net.ipv4.ip_forward=1");
  for (const name of ["all", "wan0", "t1"]) await gateway.run("sysctl", "-qw", `net.ipv4.conf.${name}.rp_filter=0`);
  await systemOn(gateway).run("ip", ["-batch", "-"], { stdin: routing });
  await systemOn(gateway).run("ip", ["-6", "-batch", "-"], { stdin: routing6 });
  await systemOn(gateway).run("nft", ["-f", "-"], { stdin: renderNat(["lan0"]) });
  await systemOn(internet).run("nft", ["-f", "-"], { stdin: watching });
  const guard = () => guardEngine({ system: systemOn(gateway), commits: watchCommits() }, { forget: () => {} });
  const pairs = [
    { egress: 1, interface: "wan0" },
    { egress: 2, interface: "t1" },
  ];
  const guarded = {
    lan: ["lan0"],
    uplinks: ["wan0"],
    lanPairs: [],
    lanAddresses: [],
    innerHopServers: [],
    servers: [],
    inner: [],
    uplinkPorts: [],
    pairs,
  };
  const loadGuard = () => bring(guard(), guarded);
  await loadGuard();
  await startFlowServer(internet, 80, [addresses.web, addresses.web6]);
  const dnsServer = await startScript(internet, "lab/dns-server.py", addresses.web, addresses.web);
  const counted = async (name: string, since: "list" | "reset") => {
    const text = await internet.run("nft", since, "counter", "inet", "watching", name);
    return Number(new RegExp(`counter ${name} \\{\\s+packets (\\d+)`).exec(text)![1]);
  };
  return {
    device,
    gateway,
    proxy,
    dnsServer,
    steer: async (egress) => void (await systemOn(gateway).run("nft", ["-f", "-"], { stdin: steering(egress) })),
    loadGuard,
    counted: async () => ({ wan: await counted("on_wan0", "reset"), t1: await counted("on_t1", "reset") }),
    toLan: () => counted("homeward", "reset"),
    unexpectedSource: () => counted("strange", "list"),
  };
}

const routing = `${[
  [wanMark, 7001],
  [t1Mark, 7002],
  [0x8000_0031, 7049],
]
  .map(([mark, table]) => `rule add priority ${table} fwmark ${mark}/0x800000ff lookup ${table}`)
  .join("\n")}
rule add priority 7900 lookup 7900
rule add priority 7950 from ${addresses.t1} lookup 7002
route add 10.0.0.0/24 dev lan0 table 7900
route add default via 198.51.100.1 dev wan0 table 7001
route add unreachable default table 7001 metric 999
route add default via 192.0.2.2 dev t1 table 7002
route add unreachable default table 7002 metric 999
route add unreachable default table 7049
`;

const routing6 = `rule add priority 7002 fwmark ${t1Mark}/0x800000ff lookup 7002
rule add priority 7950 from ${addresses.t16} lookup 7002
route add default via 2001:db8:1::2 dev t1 table 7002
`;

/** In the place of the steering table, which has tests of its own. */
const steering = (egress: number): string => `table inet steering {
	chain prerouting { type filter hook prerouting priority mangle; policy accept; }
}
flush chain inet steering prerouting
table inet steering {
	chain prerouting {
		iifname "lan0" ct direction original fib daddr type != local ct mark set ${egress} meta mark set ${0x8000_0000 + egress}
	}
}
`;

const watching = `table inet watching {
	counter on_wan0 { }
	counter on_t1 { }
	counter strange { }
	counter homeward { }
	chain prerouting {
		type filter hook prerouting priority raw; policy accept;
		meta nfproto ipv6 accept
		iifname "from-wan0" counter name on_wan0
		iifname "from-t1" counter name on_t1
		iifname "from-t1" ip saddr != ${addresses.t1} counter name strange
		ip daddr 10.0.0.0/24 counter name homeward
	}
}
`;

/** The proxy engines on a host. */
export function proxyEngines(host: Host, folder: string) {
  const system = inside(host);
  const children = supervisor({ system, folder: `${folder}/children`, nowMs: Date.now, onExit: () => {} });
  const listing = { read: () => readIp(system), invalidate: () => {} };
  return {
    system,
    supervisor: children,
    redsocks: redsocksEngine({ supervisor: children }),
    socksListener: socksListenerEngine({
      supervisor: children,
      listing,
      node: process.execPath,
      program: { folder: resolve("daemon/src/socks-listener"), file: "main.ts" },
    }),
    proxies: redirectEngine({ system, commits: watchCommits() }),
  };
}

/** /proc/net shows the network namespace of its reader. */
const inside = (host: Host): System => ({
  ...systemOn(host),
  readText: (path) =>
    path.startsWith("/proc/net/")
      ? execFileSync("ip", ["netns", "exec", host.namespace, "cat", path], { encoding: "utf8" })
      : systemOn(host).readText(path),
});
