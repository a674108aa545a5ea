import { once } from "node:events";
import { createInterface } from "node:readline";
import { resolve } from "node:path";
import type { Facts } from "../daemon/src/compiler/input/facts.ts";
import type { Intent } from "../daemon/src/compiler/input/intent.ts";
import { loader } from "./loader.ts";
import type { Host, Lab } from "./namespaces.ts";
import { systemOn } from "./system.ts";

/** A frame of a device on the LAN. The port identifies the probe, whatever its source address outside. */
export interface Probe {
  readonly interface: string;
  readonly mac: string;
  readonly source: string;
  readonly destination: string;
  readonly port: number;
}

/** A gateway with two LANs and several egresses, each observed from outside. */
export interface EgressTopology {
  readonly gateway: Host;
  /** The far end of the LANs' cables. */
  readonly clients: Host;
  /** The far end of every egress. */
  readonly outside: Host;
  /** Compiles and loads, as the daemon would. */
  load(intent: Intent, facts: Facts): Promise<void>;
  /** Leaves these egresses up and takes all others down; resolves when the kernel reports it. */
  leaveUp(wanted: ReadonlySet<Egress>): Promise<void>;
  /** Packets seen outside since the start, by egress, without neighbour discovery. */
  counted(): Promise<Readonly<Record<Egress, number>>>;
  /** Packets seen outside, through any egress, that still had an address of a LAN. */
  bare(): Promise<number>;
  /** Sends the probes; returns through which egresses each was seen outside, or into which LAN it was returned. */
  send(probes: readonly Probe[]): Promise<Map<number, string[]>>;
}

export const lanInterfaces = ["lan0", "lan1"] as const;
export const wanInterface = "wan0";
export const tunnels = ["t1", "t2", "t3"] as const;
export const egresses = [wanInterface, ...tunnels] as const;
export type Egress = (typeof egresses)[number];
export const gatewayMac = "02:99:00:00:00:01";
const outsideMac = "02:77:00:00:00:01";
const insideMac = "02:66:00:00:00:01";

/** Addresses of the n-th egress: ours, and the next hop's. */
export const egressAddress = (index: number, last: number) => ({
  v4: `192.0.2.${8 * index + last}`,
  v6: `2001:db8:${index}::${last}`,
});

export const links: Facts["links"] = [
  { name: "lan0", up: true, networks: ["10.0.0.0/24", "fd00::/64"] },
  { name: "lan1", up: true, networks: ["10.0.1.0/24", "fd00:1::/64"] },
  ...egresses.map((name, index) => ({ name, up: true, gateways: egressAddress(index, 2) })),
];

export async function openEgressTopology(lab: Lab): Promise<EgressTopology> {
  const gateway = await lab.host("gw");
  const clients = await lab.host("lan");
  const outside = await lab.host("out");
  for (const [index, device] of lanInterfaces.entries())
    await lab.cable(
      {
        host: gateway,
        device,
        mac: gatewayMac,
        addresses: [`10.0.${index}.1/24`, index === 0 ? "fd00::1/64" : `fd00:${index}::1/64`],
      },
      { host: clients, device: `to-${device}`, mac: insideMac, addresses: [] },
    );
  for (const [index, device] of egresses.entries()) {
    const { v4, v6 } = egressAddress(index, 1);
    await lab.cable(
      { host: gateway, device, addresses: [`${v4}/29`, `${v6}/64`] },
      { host: outside, device: `from-${device}`, mac: outsideMac, addresses: [] },
    );
    const next = egressAddress(index, 2);
    for (const address of [next.v4, next.v6]) {
      await gateway.run("ip", "neigh", "add", address, "lladdr", outsideMac, "dev", device);
      // The gateway's own default route is the uplink; the others have higher metrics.
      await gateway.run("ip", "route", "add", "default", "via", address, "dev", device, "metric", String(100 + index));
    }
  }
  for (const key of ["net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1"])
    await gateway.run("sysctl", "-qw", key);
  // Distributions switch loose reverse path checks on; probes come from addresses of either LAN on both.
  for (const name of egresses) await gateway.run("sysctl", "-qw", `net.ipv4.conf.${name}.rp_filter=2`);
  for (const name of ["all", "default", ...lanInterfaces])
    await gateway.run("sysctl", "-qw", `net.ipv4.conf.${name}.rp_filter=0`);
  for (const [device, addresses] of Object.entries(neighbours))
    for (const address of addresses)
      await gateway.run("ip", "neigh", "add", address, "lladdr", insideMac, "dev", device);
  await systemOn(clients).run("nft", ["-f", "-"], { stdin: watchingInside });
  const watcher = systemOn(outside);
  await watcher.run("nft", ["-f", "-"], { stdin: watching });
  const sender = clients.start("python3", resolve("lab/inject.py"), gatewayMac);
  const answers = createInterface({ input: sender.stdout! });
  // The kernel sets operstate a moment after the carrier.
  const untilKnown = async (wanted: ReadonlySet<Egress>): Promise<void> => {
    const states = egresses.map((egress) => (wanted.has(egress) ? "up" : "down"));
    const files = egresses.map((egress) => `/sys/class/net/${egress}/operstate`);
    const wait = `until [ "$(cat ${files.join(" ")} | xargs)" = "${states.join(" ")}" ]; do sleep 0.01; done`;
    await gateway.run("bash", "-c", wait);
  };
  await untilKnown(new Set(egresses));

  return {
    gateway,
    clients,
    outside,
    load: loader(gateway).load,
    leaveUp: async (wanted) => {
      await systemOn(gateway).run("ip", ["-batch", "-"], {
        stdin: egresses.flatMap((egress, index) => moving(egress, index, wanted)).join("\n"),
      });
      await untilKnown(wanted);
    },
    counted: async () => {
      const listing = await outside.run("nft", "list", "counters", "table", "inet", "watching");
      const counts = [...listing.matchAll(/counter on_(\w+) \{\s+packets (\d+)/g)];
      return Object.fromEntries(counts.map(([, egress, packets]) => [egress, Number(packets)])) as Record<
        Egress,
        number
      >;
    },
    bare: async () => {
      const counter = await outside.run("nft", "list", "counter", "inet", "watching", "bare");
      return Number(/packets (\d+)/.exec(counter)![1]);
    },
    send: async (probes) => {
      for (const host of [outside, clients]) await host.run("nft", "flush", "set", "inet", "watching", "seen");
      const frames = probes.map((it) => `to-${it.interface} ${it.mac} ${it.source} ${it.destination} ${it.port}`);
      sender.stdin!.write(`${frames.join("\n")}\n\n`);
      await once(answers, "line");
      const [there, here] = await Promise.all(
        [outside, clients].map((host) => host.run("nft", "-j", "list", "set", "inet", "watching", "seen")),
      );
      return new Map([...seen(there!), ...seen(here!)]);
    },
  };
}

/** Which probe arrived on which interface. */
const seenSet = `	set seen {
		type ifname . inet_service
		size 65535
		flags dynamic
	}`;

/** A host on each LAN. It accepts all packets; packets to it are seen there. */
export const neighbours = {
  lan0: ["10.0.0.77", "fd00::77"],
  lan1: ["10.0.1.77", "fd00:1::77"],
} as const;

/** What the gateway hands back into a LAN. What devices themselves send is not seen here. */
const watchingInside = `table inet watching {
${seenSet}
	chain prerouting {
		type filter hook prerouting priority raw; policy accept;
		udp dport >= 1000 update @seen { iifname . udp dport }
	}
}
`;

/** Commands for `ip`. A link that comes up has lost its IPv6 addresses, its neighbours and its routes. */
function moving(egress: Egress, index: number, wanted: ReadonlySet<Egress>): string[] {
  if (!wanted.has(egress)) return [`link set ${egress} down`];
  const next = egressAddress(index, 2);
  return [
    `link set ${egress} up`,
    `address replace ${egressAddress(index, 1).v6}/64 dev ${egress} nodad`,
    ...[next.v4, next.v6].flatMap((address) => [
      `neigh replace ${address} lladdr ${outsideMac} dev ${egress}`,
      `route replace default via ${address} dev ${egress} metric ${100 + index}`,
    ]),
  ];
}

/** Every egress is observed from outside, before any rule there could drop a packet. */
const watching = `table inet watching {
${egresses.map((egress) => `\tcounter on_${egress} { }`).join("\n")}
	counter bare { }
${seenSet}
	chain prerouting {
		type filter hook prerouting priority raw; policy accept;
		udp dport >= 1000 update @seen { iifname . udp dport }
		icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert, mld-listener-report, mld2-listener-report } accept
		meta l4proto igmp accept
		ip saddr 10.0.0.0/8 counter name bare
		ip6 saddr fd00::/8 counter name bare
${egresses.map((egress) => `\t\tiifname "from-${egress}" counter name on_${egress}`).join("\n")}
	}
}
`;

function seen(json: string): Map<number, string[]> {
  const { nftables } = JSON.parse(json) as { nftables: { set?: { elem?: Element[] } }[] };
  const found = new Map<number, string[]>();
  for (const element of nftables.flatMap(({ set }) => set?.elem ?? [])) {
    const [name, port] = ("elem" in element ? element.elem.val : element).concat;
    found.set(port, [...(found.get(port) ?? []), name.replace(/^(?:from|to)-/, "")]);
  }
  return found;
}
type Pair = { readonly concat: readonly [string, number] };
type Element = Pair | { readonly elem: { readonly val: Pair } };
