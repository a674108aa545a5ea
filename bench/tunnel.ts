import { openLab } from "../lab/namespaces.ts";
import type { Figure } from "../testing/figure.ts";
import { median } from "./middle.ts";
import { type Effort, Interrupted, openTunnelRoad, ourGateway, tunnelByHand, type TunnelRoad } from "./tunnel-road.ts";

const [packetRounds, packetsPerRound] = [201, 1000];
const [streamRounds, bytesPerRound] = [41, 8 << 20];
const manyTunnels = 100;
const mostRepetitions = 20;

/**
 * What a device gets through a WireGuard tunnel of a gateway of ours, next to the same program set up by hand, and what
 * it costs to look after many tunnels.
 */
export async function tunnel(): Promise<Figure[]> {
  await using lab = openLab();
  await using one = ourGateway();
  await using hundred = ourGateway();
  const roads = {
    hand: await openTunnelRoad(lab, { name: "hand", tunnels: 1 }, tunnelByHand),
    one: await openTunnelRoad(lab, { name: "one", tunnels: 1 }, one.prepare),
    hundred: await openTunnelRoad(lab, { name: "many", tunnels: manyTunnels }, hundred.prepare),
  };
  const stream = await takingTurns(roads, streamRounds, (road) => road.bytes(bytesPerRound));
  const packets = await takingTurns(roads, packetRounds, (road) => road.packets(packetsPerRound));
  const [costs, alone] = await Promise.all([hundred.costs(20), one.costs(20)]);
  const startSec = await hundred.startAnewSec();
  return [
    ...compared("TCP", 0.9, stream, (nanos) => `${(8e3 / nanos).toFixed(0)} Mbit/s`),
    ...compared("small UDP packets", 0.95, packets, (nanos) => `${(1e6 / nanos).toFixed(0)},000 per second`),
    {
      name: `${manyTunnels} WireGuard tunnels, CPU of the daemon`,
      value: costs.daemonMs,
      unit: "ms per second",
      most: 150,
      note: `with one tunnel ${alone.daemonMs.toFixed(1)} ms; the ${manyTunnels} wireguard-go processes ${costs.programsMs.toFixed(1)} ms`,
    },
    {
      name: `${manyTunnels} WireGuard tunnels, start of the daemon until all are up`,
      value: startSec,
      unit: "s",
      most: 30,
      note: "up: its health check has succeeded",
    },
  ];
}

type Name = "hand" | "one" | "hundred";
type Efforts = readonly Readonly<Record<Name, Effort>>[];

/**
 * Every path does the work once per round, in changing order, after one round that is not counted. A round in which packets were
 * lost is repeated: on a slow machine a health check can fail, and the tunnel is then down for a moment.
 */
async function takingTurns(
  roads: Readonly<Record<Name, TunnelRoad>>,
  rounds: number,
  work: (road: TunnelRoad) => Promise<Effort>,
): Promise<Efforts> {
  const names = Object.keys(roads) as Name[];
  const all: Record<Name, Effort>[] = [];
  let repetitions = 0;
  while (all.length <= rounds) {
    const efforts: Partial<Record<Name, Effort>> = {};
    try {
      for (const place of names.keys()) {
        const name = names[(place + all.length) % names.length]!;
        efforts[name] = await work(roads[name]);
      }
      all.push(efforts as Record<Name, Effort>);
    } catch (error) {
      repetitions += 1;
      if (!(error instanceof Interrupted) || repetitions > mostRepetitions) throw error;
      console.log(`tunnel: ${error.message}; the round is repeated`);
    }
  }
  return all.slice(1);
}

/** Work per second of CPU, which other load on the machine changes little. The throughput is in the note. */
function compared(what: string, least: number, efforts: Efforts, speed: (nanos: number) => string): Figure[] {
  const ratio = (ours: Name, of: keyof Effort) => median(efforts.map((it) => it.hand[of] / it[ours][of]));
  const speedOf = (name: Name) => speed(median(efforts.map((it) => it[name].nanos)));
  return (["one", "hundred"] as const).map((ours) => ({
    name: `${what} through ${ours === "one" ? "a WireGuard tunnel" : `one of ${manyTunnels} WireGuard tunnels`}, compared to wireguard-go alone`,
    value: ratio(ours, "cpuNanos"),
    unit: "×",
    least,
    note: `work per CPU second; throughput ${ratio(ours, "nanos").toFixed(2)} ×: ${speedOf(ours)} against ${speedOf("hand")}`,
  }));
}
