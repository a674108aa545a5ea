import { linux } from "../daemon/src/system/system.ts";
import { gatewayMac } from "./topology-egresses.ts";
import type { Host, Lab } from "./namespaces.ts";
import { type JsonScript, startJsonScript } from "./json-script.ts";
import { systemOn } from "./system.ts";
import { type Device, addLanBridge, server, addDevice } from "./topology-devices.ts";

/**
 * A small Internet: a gateway with a LAN and two uplinks, each to a provider of its own; behind them a core that joins
 * the providers, servers of VPNs and proxies, and a web server. Every wire is watched from outside the gateway.
 */
export interface Internet {
  readonly gateway: Host;
  readonly providers: readonly [Host, Host];
  readonly core: Host;
  /** The web server. */
  readonly web: Host;
  /** A host with an address of its own on the Internet. */
  site(name: string): Promise<Site>;
  /** Gives a site another address, and takes the one it had; answers the new one. */
  move(site: Site, port: number): Promise<string>;
  device(name: string, index: number): Promise<Device>;
  /** What the web server has received; egresses are the source addresses. */
  webReport(): Promise<WebReport>;
  /** Packets since the previous report, between the gateway and a provider, or in the core. */
  seen(on: Host): Promise<Sighting[]>;
}

export interface Site {
  readonly host: Host;
  readonly v4: string;
  readonly v6: string;
}

export interface WebReport {
  readonly udp: Readonly<
    Record<string, { numbers: number; egresses: Readonly<Record<string, { first: number; last: number }>> }>
  >;
  readonly tcp: readonly { who: string; egress: string; bytes: number; inOrder: boolean }[];
}

/** Packets of one kind on a wire. */
export interface Sighting {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly port: number;
  readonly packets: number;
}

export const uplinks = ["wan0", "wan1"] as const;
export const uplinkAddress = (index: number, last: 1 | 2) => ({
  v4: `192.0.2.${4 * index + last}`,
  v6: `2001:db8:a${index}::${last}`,
});

export async function openInternet(lab: Lab): Promise<Internet> {
  const [gateway, clients, core] = [await lab.host("gw"), await lab.host("lan"), await lab.host("core")];
  await lab.cable(
    { host: gateway, device: "lan0", mac: gatewayMac, addresses: ["10.0.0.1/24", "fd00::1/64"] },
    { host: clients, device: "to-lan0", addresses: [] },
  );
  await addLanBridge(clients);
  await forwards(core);
  const providers = [await provider(lab, gateway, core, 0), await provider(lab, gateway, core, 1)] as const;
  let [sites, moves] = [0, 0];
  const site = async (name: string): Promise<Site> => connect(lab, core, name, (sites += 1));
  const web = await site("web");
  for (const address of [`${server.v4}/32`, `${server.v6}/128`]) {
    await web.host.run("ip", "address", "add", address, "dev", "lo", "nodad");
    await core.run("ip", "route", "add", address, "via", address.includes(":") ? web.v6 : web.v4);
  }
  await watch(core);
  const reader: JsonScript = await startJsonScript(web.host, "traffic-server.py", "addresses");
  return {
    gateway,
    providers,
    core,
    web: web.host,
    site,
    move: async ({ host, v4 }, port) => {
      moves += 1;
      const next = `198.51.101.${moves}`;
      await host.run("ip", "address", "add", `${next}/32`, "dev", "eth0");
      await core.run("ip", "route", "add", `${next}/32`, "via", v4);
      // The cable keeps its address; the server no longer answers there.
      await host.run("nft", "add table inet lab_moved");
      await host.run("nft", "add chain inet lab_moved input { type filter hook input priority -300; }");
      await host.run(
        "nft",
        `add rule inet lab_moved input ip daddr ${v4} meta l4proto { tcp, udp } th dport ${port} drop`,
      );
      return next;
    },
    device: (name, index) => addDevice(lab, { clients }, name, index),
    webReport: () => reader.request("report") as Promise<WebReport>,
    seen: sightings,
  };
}

async function provider(lab: Lab, gateway: Host, core: Host, index: number): Promise<Host> {
  const host = await lab.host(`isp${index}`);
  const [ours, theirs] = [uplinkAddress(index, 1), uplinkAddress(index, 2)];
  await lab.cable(
    { host: gateway, device: uplinks[index]!, addresses: [`${ours.v4}/30`, `${ours.v6}/64`] },
    { host, device: "from-gw", addresses: [`${theirs.v4}/30`, `${theirs.v6}/64`] },
  );
  const [inner, outer] = [`192.0.2.${33 + 4 * index}`, `192.0.2.${34 + 4 * index}`];
  const [inner6, outer6] = [`2001:db8:b${index}::1`, `2001:db8:b${index}::2`];
  await lab.cable(
    { host, device: "to-core", addresses: [`${inner}/30`, `${inner6}/64`] },
    { host: core, device: `from-isp${index}`, addresses: [`${outer}/30`, `${outer6}/64`] },
  );
  await forwards(host);
  for (const via of [outer, outer6]) await host.run("ip", "route", "add", "default", "via", via);
  await core.run("ip", "route", "add", `192.0.2.${4 * index}/30`, "via", inner);
  await core.run("ip", "route", "add", `2001:db8:a${index}::/64`, "via", inner6);
  for (const via of [theirs.v4, theirs.v6])
    await gateway.run(
      "ip",
      "route",
      "add",
      "default",
      "via",
      via,
      "dev",
      uplinks[index]!,
      "metric",
      String(100 + index),
    );
  await watch(host, "from-gw");
  return host;
}

async function connect(lab: Lab, core: Host, name: string, index: number): Promise<Site> {
  const host = await lab.host(name);
  const [hub, own] = [`198.51.100.${4 * index + 1}`, `198.51.100.${4 * index + 2}`];
  const [hub6, own6] = [`2001:db8:c${index}::1`, `2001:db8:c${index}::2`];
  await lab.cable(
    { host, device: "eth0", addresses: [`${own}/30`, `${own6}/64`] },
    { host: core, device: `to-${name}`, addresses: [`${hub}/30`, `${hub6}/64`] },
  );
  for (const via of [hub, hub6]) await host.run("ip", "route", "add", "default", "via", via);
  return { host, v4: own, v6: own6 };
}

async function forwards(host: Host): Promise<void> {
  for (const key of ["net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1"]) await host.run("sysctl", "-qw", key);
}

/** Remembers every packet by sender, receiver and port; neighbours looking for each other do not count. */
async function watch(host: Host, device?: string): Promise<void> {
  const only = device === undefined ? "" : `iifname "${device}" `;
  const set = (family: string) =>
    `type ${family} . ${family} . inet_proto . inet_service; size 65535; flags dynamic; counter;`;
  await systemOn(host).run("nft", ["-f", "-"], {
    stdin: `table inet watching {
	set seen4 { ${set("ipv4_addr")} }
	set seen6 { ${set("ipv6_addr")} }
	chain prerouting {
		type filter hook prerouting priority raw; policy accept;
		meta l4proto icmpv6 icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert, mld-listener-report, mld2-listener-report } accept
		meta l4proto { tcp, udp } ${only}update @seen4 { ip saddr . ip daddr . meta l4proto . th dport }
		meta l4proto { tcp, udp } ${only}update @seen6 { ip6 saddr . ip6 daddr . meta l4proto . th dport }
		meta l4proto != { tcp, udp } ${only}update @seen4 { ip saddr . ip daddr . meta l4proto . 0 }
		meta l4proto != { tcp, udp } ${only}update @seen6 { ip6 saddr . ip6 daddr . meta l4proto . 0 }
	}
}
`,
  });
}

async function sightings(host: Host): Promise<Sighting[]> {
  const all: Sighting[] = [];
  for (const set of ["seen4", "seen6"]) {
    const json = await host.run("nft", "-j", "list", "set", "inet", "watching", set);
    const { nftables } = JSON.parse(json) as { nftables: { set?: { elem?: Element[] } }[] };
    // A set that grows while it is listed may list an element twice.
    const listed = new Map<string, Element>();
    for (const it of nftables.flatMap((one) => one.set?.elem ?? [])) listed.set(it.elem.val.concat.join(" "), it);
    for (const { elem } of listed.values()) {
      const [from, to, protocol, port] = elem.val.concat;
      all.push({ from, to, protocol: String(protocol), port, packets: elem.counter.packets });
    }
    await forget(host, set, [...listed.values()]);
  }
  return all;
}

/** Deletes what was listed. A flush would also delete packets that were seen since, and they would never be reported. */
async function forget(host: Host, set: string, listed: readonly Element[]): Promise<void> {
  if (listed.length === 0) return;
  const element = { family: "inet", table: "watching", name: set, elem: listed.map(({ elem }) => elem.val) };
  const text = JSON.stringify({ nftables: [{ delete: { element } }] });
  // As a file: nft cannot read JSON from a socket, which is what the standard input of our programs is.
  await linux.inMemory(text, (file) => host.run("nft", "-j", "-f", file));
}
type Element = {
  readonly elem: {
    readonly val: { readonly concat: readonly [string, string, string | number, number] };
    readonly counter: { readonly packets: number };
  };
};
