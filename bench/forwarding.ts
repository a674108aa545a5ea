import { kernelSettings } from "../daemon/src/compiler/compile.ts";
import { sysctl } from "../daemon/src/engines/sysctl/sysctl.engine.ts";
import { accountingKey } from "../daemon/src/engines/sysctl/sysctl.model.ts";
import { loader } from "../lab/loader.ts";
import { type Host, openLab } from "../lab/namespaces.ts";
import { systemOn } from "../lab/system.ts";
import type { Figure } from "../testing/figure.ts";
import { median } from "./statistics.ts";
import { openForwardingTestbed, type ForwardingTestbed, egressAddress, egresses } from "./forwarding-testbed.ts";
import { sampleDevice, sampleIntent } from "./sample.ts";

/** Many short rounds: other load on the machine then disturbs some rounds completely instead of all of them a little. */
const packetRounds = 801;
const packetsPerRound = 1500;
const streamRounds = 121;
const bytesPerRound = 100 << 20;

/**
 * CPU cost of forwarding on the gateway, compared to a router configured by hand with connection tracking and masquerading only.
 * Ratios are of work per second of CPU, on established flows.
 */
export async function forwarding(): Promise<Figure[]> {
  await using lab = openLab();
  const testbeds = {
    router: await openForwardingTestbed(lab, "router", deviceInTheMiddle(10), routeByHand),
    few: await openForwardingTestbed(lab, "few", deviceInTheMiddle(10), loadOurs(10)),
    many: await openForwardingTestbed(lab, "many", deviceInTheMiddle(10_000), loadOurs(10_000)),
    uncounted: await openForwardingTestbed(lab, "uncounted", deviceInTheMiddle(10_000), loadUncounted(10_000)),
  };
  const onward = await alternating(testbeds, packetRounds, (testbed) => testbed.packets(packetsPerRound));
  const back = await alternating(testbeds, packetRounds, (testbed) => testbed.answers(packetsPerRound));
  const stream = await alternating(testbeds, streamRounds, (testbed) => testbed.bytes(bytesPerRound));
  for (const [name, road] of Object.entries(testbeds))
    if ((await road.arrived()) < 0.99) throw new Error(`More than 1 % of the packets were lost on ${name}`);
  for (const [name, isExpected] of [["many", true] as const, ["uncounted", false] as const])
    if ((await testbeds[name].isCounting()) !== isExpected)
      throw new Error(`Connections on ${name} have ${isExpected ? "no " : ""}counters`);
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
    measurement("small UDP packets, with accounting compared to without", onward, "uncounted", "many", {
      least: 0.97,
      item: "packet",
    }),
    measurement(
      "small UDP packets in the reply direction, with accounting compared to without",
      back,
      "uncounted",
      "many",
      { least: 0.97, item: "packet" },
    ),
    measurement("TCP, with accounting compared to without", stream, "uncounted", "many", { least: 0.97, item: "byte" }),
  ];
}

function deviceInTheMiddle(count: number): { mac: string; address: string } {
  const { mac, ips } = sampleDevice(count >> 1);
  return { mac, address: ips[0]! };
}

async function routeByHand(gateway: Host): Promise<void> {
  await gateway.run("ip", "route", "add", "default", "via", egressAddress(1, 2), "dev", "t1");
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
  const [wan, ...tunnels] = egresses;
  const intent = sampleIntent(count, { lan: ["lan0"], wan, uplinks: [wan], defaultEgress: "block" }, tunnels);
  const facts = {
    links: [
      { name: "lan0", up: true, networks: ["10.0.0.0/16"] },
      ...egresses.map((name, index) => ({ name, up: true, gateways: { v4: egressAddress(index, 2) } })),
    ],
    hops: tunnels.map((target) => ({ type: "vpn", target, interface: target, up: true })),
  };
  return async (gateway) => {
    await gateway.run("ip", "route", "add", "default", "via", egressAddress(0, 2), "dev", wan);
    await loader(gateway).load(intent, facts);
    await sysctl(systemOn(gateway)).apply(Object.entries(kernelSettings(intent.network, facts)));
  };
}

/** Connections that begin after it have no counters. */
function loadUncounted(count: number): (gateway: Host) => Promise<void> {
  return async (gateway) => {
    await loadOurs(count)(gateway);
    await sysctl(systemOn(gateway)).apply([[accountingKey, "0"]]);
  };
}

type Costs<N extends string> = readonly Readonly<Record<N, number>>[];

/** Each testbed runs once per round, in changing order, after one warm-up round. */
async function alternating<N extends string>(
  testbeds: Readonly<Record<N, ForwardingTestbed>>,
  rounds: number,
  measure: (testbed: ForwardingTestbed) => Promise<number>,
): Promise<Costs<N>> {
  const names = Object.keys(testbeds) as N[];
  const costs: Record<N, number>[] = [];
  for (let round = 0; round <= rounds; round++) {
    const cost: Partial<Record<N, number>> = {};
    for (const index of names.keys()) {
      const name = names[(index + round) % names.length]!;
      cost[name] = await measure(testbeds[name]);
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
  // Rounds in which the clock stood still or went back would distort the median.
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
