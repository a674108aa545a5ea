import { startJsonScript } from "./json-script.ts";
import type { Host } from "./namespaces.ts";

/** Latencies of the requests of one measurement, in seconds. */
interface Latencies {
  readonly requests: number;
  readonly p99: number;
  readonly longest: number;
}

interface Measured extends Latencies {
  readonly byPath: Readonly<Record<string, Latencies>>;
}

/** A client that requests these paths all the time, in turn. It ends with the lab. */
export async function startLatencyClient(
  host: Host,
  paths: readonly string[],
  perSecond = 50,
): Promise<{
  /** Of the requests since the last call. */
  measured(): Promise<Measured>;
}> {
  const script = await startJsonScript(host, "api-latency.py", String(perSecond), ...paths);
  return {
    measured: async () => {
      const took = (await script.request("measured")) as Readonly<Record<string, readonly number[]>>;
      const byPath = Object.fromEntries(Object.entries(took).map(([path, all]) => [path, latenciesOf(all)]));
      return { ...latenciesOf(Object.values(took).flat()), byPath };
    },
  };
}

function latenciesOf(seconds: readonly number[]): Latencies {
  const sorted = seconds.toSorted((a, b) => a - b);
  if (sorted.length === 0) throw new Error("No request was answered");
  return {
    requests: sorted.length,
    p99: sorted[Math.ceil(0.99 * sorted.length) - 1]!,
    longest: sorted.at(-1)!,
  };
}

/** As text, with the percentile of each path. */
export const latencyText = ({ byPath, p99 }: Measured): string =>
  `${inMs(p99)} (${Object.entries(byPath)
    .map(([path, it]) => `${path} ${inMs(it.p99)}`)
    .join(", ")})`;

const inMs = (seconds: number): string => `${(1000 * seconds).toFixed(1)} ms`;
