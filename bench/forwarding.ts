import { kernelSettings } from "../daemon/src/compiler/compile.ts";
import { sysctl } from "../daemon/src/engines/sysctl/sysctl.engine.ts";
import { loader } from "../lab/loader.ts";
import { type Host, openLab } from "../lab/namespaces.ts";
import { systemOn } from "../lab/system.ts";
import type { Figure } from "../testing/figure.ts";
import { median } from "./middle.ts";
import { openRoad, type Road, wayAddress, ways } from "./road.ts";
import { sampleDevice, sampleIntent } from "./sample.ts";

/** Many and short: a neighbour on the machine then spoils some rounds instead of all of them a little. */
const packetRounds = 801;
const packetsPerRound = 1500;
const streamRounds = 121;
const bytesPerRound = 100 << 20;

/**
 * What forwarding costs on a gateway of ours, next to a router somebody wrote by hand: connections tracked and
 * masqueraded, no question asked. Ratios are of work done per second of CPU, on established flows.
 */
export async function forwarding(): Promise<Figure[]> {
  await using lab = openLab();
  const roads = {
    router: await openRoad(lab, "router", deviceInTheMiddle(10), routeByHand),
    few: await openRoad(lab, "few", deviceInTheMiddle(10), loadOurs(10)),
    many: await openRoad(lab, "many", deviceInTheMiddle(10_000), loadOurs(10_000)),
  };
  const onward = await takingTurns(roads, packetRounds, (road) => road.packets(packetsPerRound));
  const back = await takingTurns(roads, packetRounds, (road) => road.answers(packetsPerRound));
  const stream = await takingTurns(roads, streamRounds, (road) => road.bytes(bytesPerRound));
  for (const [name, road] of Object.entries(roads))
    if ((await road.arrived()) < 0.99) throw new Error(`More than 1 % of the packets were lost by ${name}`);
  return [
    measurement("small UDP packets, 10,000 policies compared to 10", onward, "few", "many", {
      least: 0.95,
      item: "packet",
    }),
    measurement("small UDP packets, compared to a router configured by hand", onward, "router", "many", {
      least: 0.8,
      item: "packet",
    }),
    measurement(
      "small UDP packets in the reply direction, compared to a router configured by hand",
      back,
      "router",
      "many",
      { least: 0.8, item: "packet" },
    ),
    measurement("TCP, compared to a router configured by hand", stream, "router", "many", { least: 0.9, item: "byte" }),
  ];
}

function deviceInTheMiddle(count: number): { mac: string; address: string } {
  const { mac, ips } = sampleDevice(count >> 1);
  return { mac, address: ips[0]! };
}

async function routeByHand(gateway: Host): Promise<void> {
  await gateway.run("ip", "route", "add", "default", "via", wayAddress(1, 2), "dev", "t1");
  const rules = `table inet router {
	chain postrouting {
		type nat hook postrouting priority srcnat; policy accept;
		oifname "t1" masquerade
	}
}
`;
  await systemOn(gateway).run("nft", ["-f", "-"], { stdin: rules });
}

function loadOurs(count: number): (gateway: Host) => Promise<void> {
  const [wan, ...tunnels] = ways;
  const intent = sampleIntent(count, { lan: ["lan0"], wan, uplinks: [wan], defaultEgress: "block" }, tunnels);
  const facts = {
    links: [
      { name: "lan0", up: true, networks: ["10.0.0.0/16"] },
      ...ways.map((name, place) => ({ name, up: true, gateways: { v4: wayAddress(place, 2) } })),
    ],
    hops: tunnels.map((target) => ({ type: "vpn", target, interface: target, up: true })),
  };
  return async (gateway) => {
    await gateway.run("ip", "route", "add", "default", "via", wayAddress(0, 2), "dev", wan);
    await loader(gateway).load(intent, facts);
    await sysctl(systemOn(gateway)).apply(Object.entries(kernelSettings(intent.network, facts)));
  };
}

type Costs<N extends string> = readonly Readonly<Record<N, number>>[];

/** Every road does the work once a round, none always first, after one round that nobody counts. */
async function takingTurns<N extends string>(
  roads: Readonly<Record<N, Road>>,
  rounds: number,
  work: (road: Road) => Promise<number>,
): Promise<Costs<N>> {
  const names = Object.keys(roads) as N[];
  const costs: Record<N, number>[] = [];
  for (let round = 0; round <= rounds; round++) {
    const cost: Partial<Record<N, number>> = {};
    for (const place of names.keys()) {
      const name = names[(place + round) % names.length]!;
      cost[name] = await work(roads[name]);
    }
    costs.push(cost as Record<N, number>);
  }
  return costs.slice(1);
}

function measurement<N extends string>(
  name: string,
  costs: Costs<N>,
  bare: NoInfer<N>,
  ours: NoInfer<N>,
  { least, item }: { readonly least: number; readonly item: string },
): Figure {
  // A clock that stood still or went back in one round would put all of them out of order.
  const sound = costs.filter((cost) => cost[bare] > 0 && cost[ours] > 0);
  if (sound.length < 0.9 * costs.length) throw new Error(`${name}: the clock was right in ${sound.length} rounds only`);
  const value = median(sound.map((cost) => cost[bare] / cost[ours]));
  const [ourCost, bareCost] = [ours, bare].map((it) => short(median(sound.map((cost) => cost[it]))));
  return {
    name,
    value,
    unit: "×",
    least,
    note: `work per CPU second; ${ourCost} ns of CPU per ${item} against ${bareCost} ns`,
  };
}

const short = (nanos: number): string => (nanos < 10 ? nanos.toPrecision(2) : nanos.toFixed(0));
