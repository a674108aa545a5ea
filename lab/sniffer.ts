import type { Host } from "./namespaces.ts";
import { startJsonScript } from "./json-script.ts";

/** Captures the DNS queries on the wires of a host other than the gateway. */
export interface DnsSniffer {
  /** Queries since the previous call. It throws when packets were missed. */
  readonly sniffed: () => Promise<readonly SniffedQuery[]>;
}

/** Queries for names of one domain, or encrypted ones. */
export interface SniffedQuery {
  /** The interface of the host on which they came. */
  readonly wire: string;
  readonly from: string;
  readonly to: string;
  readonly protocol: "udp" | "tcp";
  readonly port: number;
  /** The last labels of the name; null for encrypted queries, and for the rest of a connection. */
  readonly domain: string | null;
  readonly packets: number;
  /** How many different names. */
  readonly names: number;
}

/**
 * `labels`: how many labels of a name count, from its end. A client with a domain of three labels is identified by it.
 */
export async function startDnsSniffer(host: Host, labels = 3): Promise<DnsSniffer> {
  const script = await startJsonScript(host, "sniffer.py", String(labels));
  return {
    sniffed: async () => {
      const { missed, seen } = (await script.request("report")) as { missed: number; seen: readonly SniffedQuery[] };
      if (missed > 0) throw new Error(`The sniffer on ${host.name} missed ${missed} packets`);
      return seen;
    },
  };
}
