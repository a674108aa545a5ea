import type { Host } from "./namespaces.ts";
import { startJsonScript } from "./json-script.ts";

/** Somebody who sees which names are asked for on the wires of a host that is not the gateway. */
export interface DnsSniffer {
  /** What came since last asked. It throws when something passed that it had no time to look at. */
  readonly sniffed: () => Promise<readonly SniffedQuery[]>;
}

/** Questions for names of one domain, or, encrypted, for whatever. */
export interface SniffedQuery {
  /** The interface of the host on which they came. */
  readonly wire: string;
  readonly from: string;
  readonly to: string;
  readonly protocol: "udp" | "tcp";
  readonly port: number;
  /** The last labels of the name; null where nobody can read it, and for the rest of a connection. */
  readonly domain: string | null;
  readonly packets: number;
  /** How many different names. */
  readonly names: number;
}

/** `labels`: how many labels of a name count, from its end. Whoever has a domain of three labels is told from others by it. */
export async function startDnsSniffer(host: Host, labels = 3): Promise<DnsSniffer> {
  const script = await startJsonScript(host, "sniffer.py", String(labels));
  return {
    sniffed: async () => {
      const { missed, seen } = (await script.request("report")) as { missed: number; seen: readonly SniffedQuery[] };
      if (missed > 0) throw new Error(`The catcher on ${host.name} missed ${missed} packets`);
      return seen;
    },
  };
}
