import { once } from "node:events";
import { createInterface } from "node:readline";
import { resolve } from "node:path";
import { decide } from "../daemon/src/compiler/decide.ts";
import type { Facts } from "../daemon/src/compiler/facts.ts";
import type { Intent } from "../daemon/src/compiler/intent.ts";
import { type Numbers, wanted } from "../daemon/src/compiler/numbers.ts";
import { route } from "../daemon/src/compiler/route.ts";
import { guard, steer } from "../daemon/src/compiler/steer.ts";
import { iproute } from "../daemon/src/engines/iproute/iproute.engine.ts";
import { renderGuard } from "../daemon/src/engines/nftables/guard.render.ts";
import { renderNat } from "../daemon/src/engines/nftables/nat.render.ts";
import { steering } from "../daemon/src/engines/nftables/steering.render.ts";
import { renderTransaction } from "../daemon/src/engines/nftables/transaction.render.ts";
import { companion } from "./companion.ts";
import type { Host, Lab } from "./namespaces.ts";
import { systemOn } from "./system.ts";

/** A frame some device of the LAN sends. The port tells probes apart, whatever address they leave with. */
export interface Probe {
  readonly interface: string;
  readonly mac: string;
  readonly source: string;
  readonly destination: string;
  readonly port: number;
}

/** A gateway with two LANs and several ways out, and somebody who watches every way from outside. */
export interface Crossroads {
  readonly gateway: Host;
  /** Compiles and loads, as the daemon would. */
  load(intent: Intent, facts: Facts): Promise<void>;
  /** The next transaction of the steering table, over the one before. Whoever asks for it applies it. */
  transaction(intent: Intent, facts: Facts): string;
  /** Sends over so many flows of a device, round and round, as fast as the machine can, until `stop`, which tells how many packets there were. */
  blast(mac: string, flows: number): Promise<{ stop(): Promise<number> }>;
  /** Sends without pause as a device, at this many packets a second, until `stop`, which tells how many there were. */
  flood(mac: string, perSecond: number): Promise<{ stop(): Promise<{ sent: number; seconds: number }> }>;
  /** Packets of devices that were seen outside on a way since the beginning. */
  seenOn(way: string): Promise<number>;
  /** Sends the probes; answers by which ways each was seen outside. */
  send(probes: readonly Probe[]): Promise<Map<number, string[]>>;
}

export const lanInterfaces = ["lan0", "lan1"] as const;
export const wanInterface = "wan0";
export const tunnels = ["t1", "t2", "t3"] as const;
const ways = [wanInterface, ...tunnels];
const gatewayMac = "02:99:00:00:00:01";
const outsideMac = "02:77:00:00:00:01";

/** Addresses of the n-th way: ours, and the next hop's. */
const wayAddress = (place: number, last: number) => ({
  v4: `192.0.2.${8 * place + last}`,
  v6: `2001:db8:${place}::${last}`,
});

export const links: Facts["links"] = [
  { name: "lan0", up: true, networks: ["10.0.0.0/24", "fd00::/64"] },
  { name: "lan1", up: true, networks: ["10.0.1.0/24", "fd00:1::/64"] },
  ...ways.map((name, place) => ({ name, up: true, gateways: wayAddress(place, 2) })),
];

export async function openCrossroads(lab: Lab): Promise<Crossroads> {
  const gateway = await lab.host("gw");
  const clients = await lab.host("lan");
  const outside = await lab.host("out");
  for (const [place, device] of lanInterfaces.entries())
    await lab.cable(
      {
        host: gateway,
        device,
        mac: gatewayMac,
        addresses: [`10.0.${place}.1/24`, place === 0 ? "fd00::1/64" : `fd00:${place}::1/64`],
      },
      { host: clients, device: `to-${device}`, addresses: [] },
    );
  for (const [place, device] of ways.entries()) {
    const { v4, v6 } = wayAddress(place, 1);
    await lab.cable(
      { host: gateway, device, addresses: [`${v4}/29`, `${v6}/64`] },
      { host: outside, device: `from-${device}`, mac: outsideMac, addresses: [] },
    );
    const next = wayAddress(place, 2);
    for (const address of [next.v4, next.v6]) {
      await gateway.run("ip", "neigh", "add", address, "lladdr", outsideMac, "dev", device);
      // The gateway's own way out is the uplink; the others are there for whoever asks for them.
      await gateway.run("ip", "route", "add", "default", "via", address, "dev", device, "metric", String(100 + place));
    }
  }
  for (const key of ["net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1"])
    await gateway.run("sysctl", "-qw", key);
  for (const name of ["all", "default", ...lanInterfaces])
    await gateway.run("sysctl", "-qw", `net.ipv4.conf.${name}.rp_filter=0`);
  const watcher = systemOn(outside);
  await watcher.run("nft", ["-f", "-"], { stdin: watching });
  const sender = clients.start("python3", resolve("lab/inject.py"), gatewayMac);
  const answers = createInterface({ input: sender.stdout! });

  return {
    gateway,
    ...loader(gateway),
    blast: async (mac, flows) => {
      const ends = ["10.0.0.2", "203.0.113.5"];
      const sender = await companion(clients, "lab/blast.py", "to-lan0", gatewayMac, mac, ...ends, String(flows));
      sender.tell("flood");
      return { stop: async () => Number(await sender.ask("stop")) };
    },
    flood: async (mac, perSecond) => {
      const flood = clients.start("python3", resolve("lab/flood.py"), gatewayMac, "to-lan0", mac, String(perSecond));
      const lines = createInterface({ input: flood.stdout! });
      await once(lines, "line");
      return {
        stop: async () => {
          flood.stdin!.end("stop\n");
          const [line] = (await once(lines, "line")) as [string];
          const [sent = 0, seconds = 0] = line.split(" ").map(Number);
          return { sent, seconds };
        },
      };
    },
    seenOn: async (way) => {
      const counter = await outside.run("nft", "list", "counter", "inet", "watching", `on_${way}`);
      return Number(/packets (\d+)/.exec(counter)![1]);
    },
    send: async (probes) => {
      await watcher.run("nft", ["flush", "set", "inet", "watching", "seen"]);
      const frames = probes.map((it) => `to-${it.interface} ${it.mac} ${it.source} ${it.destination} ${it.port}`);
      sender.stdin!.write(`${frames.join("\n")}\n\n`);
      await once(answers, "line");
      return seen(await watcher.run("nft", ["-j", "list", "set", "inet", "watching", "seen"]));
    },
  };
}

/** Every way is watched from outside, before anything there could drop a packet. */
const watching = `table inet watching {
${ways.map((way) => `\tcounter on_${way} { }`).join("\n")}
	set seen {
		type ifname . inet_service
		size 65535
		flags dynamic
	}
	chain prerouting {
		type filter hook prerouting priority raw; policy accept;
		udp dport >= 1000 update @seen { iifname . udp dport }
		meta l4proto { tcp, udp } goto count
		icmp type echo-request goto count
		icmpv6 type echo-request goto count
	}
	chain count {
${ways.map((way) => `\t\tiifname "from-${way}" counter name on_${way}`).join("\n")}
	}
}
`;

function seen(json: string): Map<number, string[]> {
  const { nftables } = JSON.parse(json) as { nftables: { set?: { elem?: Element[] } }[] };
  const found = new Map<number, string[]>();
  for (const element of nftables.flatMap(({ set }) => set?.elem ?? [])) {
    const [name, port] = ("elem" in element ? element.elem.val : element).concat;
    found.set(port, [...(found.get(port) ?? []), name.replace("from-", "")]);
  }
  return found;
}
type Pair = { readonly concat: readonly [string, number] };
type Element = Pair | { readonly elem: { readonly val: Pair } };

/** The guard first, then routes, then the steering table; numbers once given are kept, as the ledger would. */
export function loader(gateway: Host): Pick<Crossroads, "load" | "transaction"> {
  const system = systemOn(gateway);
  const routes = iproute(system);
  const known = {
    plans: new Map<string, number>(),
    egresses: new Map<string, number>(),
    domains: new Map<string, number>(),
  };
  let standing = { holders: [] as string[], chains: [] as string[] };
  let generation = 0;

  function numbered(names: ReturnType<typeof wanted>): Numbers {
    for (const name of names.plans) if (!known.plans.has(name)) known.plans.set(name, known.plans.size + 1);
    for (const name of names.egresses) if (!known.egresses.has(name)) known.egresses.set(name, known.egresses.size + 2);
    for (const name of names.domains) if (!known.domains.has(name)) known.domains.set(name, known.domains.size + 1);
    return known;
  }
  function transaction(intent: Intent, facts: Facts): string {
    const decisions = decide(intent, facts);
    generation = (generation % generations) + 1;
    const table = steering(steer(decisions, intent, numbered(wanted(decisions))), generation);
    const text = renderTransaction(table, standing);
    standing = { holders: table.holders.map(({ name }) => name), chains: table.chains.map(({ name }) => name) };
    return text;
  }
  return {
    transaction,
    load: async (intent, facts) => {
      const decisions = decide(intent, facts);
      const numbers = numbered(wanted(decisions));
      const gate = renderGuard(guard(decisions, intent, numbers)) + renderNat(intent.network.lan);
      await routes.apply(routes.changes(route(decisions, intent, facts, numbers), await routes.observe()));
      await system.run("nft", ["-f", "-"], { stdin: gate + transaction(intent, facts) });
    },
  };
}

/** After so many transactions the first generation comes again, as in the engine. */
export const generations = 250;
