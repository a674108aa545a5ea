import { openLab } from "../lab/namespaces.ts";
import type { Figure } from "../testing/figure.ts";
import { median } from "./statistics.ts";
import {
  type Cost,
  Interrupted,
  openTunnelTestbed,
  ourGateway,
  tunnelByHand,
  type TunnelTestbed,
} from "./tunnel-testbed.ts";

const [packetRounds, packetsPerRound] = [201, 1000];
const [streamRounds, bytesPerRound] = [41, 8 << 20];
const manyTunnels = 100;
const maxRepetitions = 20;

/**
 * Throughput and CPU cost of a WireGuard tunnel of the gateway, compared to wireguard-go configured by hand, and the CPU cost of
 * many tunnels.
 */
export async function tunnel(): Promise<Figure[]> {
  await using lab = openLab();
  await using one = ourGateway();
  await using hundred = ourGateway();
  const testbeds = {
    hand: await openTunnelTestbed(lab, { name: "hand", tunnels: 1 }, tunnelByHand),
    one: await openTunnelTestbed(lab, { name: "one", tunnels: 1 }, one.prepare),
    hundred: await openTunnelTestbed(lab, { name: "many", tunnels: manyTunnels }, hundred.prepare),
  };
  const stream = await alternating(testbeds, streamRounds, (testbed) => testbed.bytes(bytesPerRound));
  const packets = await alternating(testbeds, packetRounds, (testbed) => testbed.packets(packetsPerRound));
  const [costs, alone] = await Promise.all([hundred.costs(20), one.costs(20)]);
  const startSec = await hundred.restartSec();
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
type Costs = readonly Readonly<Record<Name, Cost>>[];

/**
 * Each testbed runs once per round, in changing order, after one warm-up round. A round in which packets were
 * lost is repeated: on a slow machine a health check can fail, and the tunnel is then down for a moment.
 */
async function alternating(
  testbeds: Readonly<Record<Name, TunnelTestbed>>,
  rounds: number,
  measure: (testbed: TunnelTestbed) => Promise<Cost>,
): Promise<Costs> {
  const names = Object.keys(testbeds) as Name[];
  const all: Record<Name, Cost>[] = [];
  let repetitions = 0;
  while (all.length <= rounds) {
    const measured: Partial<Record<Name, Cost>> = {};
    try {
      for (const index of names.keys()) {
        const name = names[(index + all.length) % names.length]!;
        measured[name] = await measure(testbeds[name]);
      }
      all.push(measured as Record<Name, Cost>);
    } catch (error) {
      repetitions += 1;
      if (!(error instanceof Interrupted) || repetitions > maxRepetitions) throw error;
      console.log(`tunnel: ${error.message}; the round is repeated`);
    }
  }
  return all.slice(1);
}

/** Work per second of CPU, which other load on the machine changes little. The throughput is in the note. */
function compared(what: string, least: number, measured: Costs, speed: (nanos: number) => string): Figure[] {
  const ratio = (ours: Name, of: keyof Cost) => median(measured.map((it) => it.hand[of] / it[ours][of]));
  const speedOf = (name: Name) => speed(median(measured.map((it) => it[name].nanos)));
  return (["one", "hundred"] as const).map((ours) => ({
    name: `${what} through ${ours === "one" ? "a WireGuard tunnel" : `one of ${manyTunnels} WireGuard tunnels`}, compared to wireguard-go alone`,
    value: ratio(ours, "cpuNanos"),
    unit: "×",
    least,
    note: `work per CPU second; throughput ${ratio(ours, "nanos").toFixed(2)} ×: ${speedOf(ours)} against ${speedOf("hand")}`,
  }));
}
