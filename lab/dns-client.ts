import type { Host } from "./namespaces.ts";
import { startJsonScript } from "./json-script.ts";

/** A host with many addresses that sends DNS queries and parses every response. */
export interface DnsClient {
  /** Answers in the order of the queries; undefined for a query without a response. */
  readonly query: (queries: readonly DnsQuery[]) => Promise<readonly (Answer | undefined)[]>;
}

export interface DnsQuery {
  /** An address of the host, of the family of the server's. */
  readonly from: string;
  readonly to: string;
  readonly name: string;
  readonly type: string;
  readonly protocol: "udp" | "tcp";
}

export interface Answer {
  /** 0: NOERROR, 2: SERVFAIL, 3: NXDOMAIN. */
  readonly code: number;
  /** Such as `A 192.0.2.1`, in alphabetical order. */
  readonly answers: readonly string[];
}

/** It ends with the lab. */
export async function startDnsClient(host: Host): Promise<DnsClient> {
  const script = await startJsonScript(host, "dns-client.py");
  const queryBatch = async (queries: readonly DnsQuery[]) => {
    const rows = queries.map(({ from, to, name, type, protocol }) => [from, to, name, type, protocol]);
    const responses = (await script.request(JSON.stringify(rows))) as readonly ([number, string[]] | null)[];
    return responses.map((it) => (it ? { code: it[0], answers: it[1] } : undefined));
  };
  return {
    query: async (queries) => {
      const answers: (Answer | undefined)[] = [];
      for (let first = 0; first < queries.length; first += batchSize)
        answers.push(...(await queryBatch(queries.slice(first, first + batchSize))));
      return answers;
    },
  };
}

/** In one line, which has to fit into a pipe's patience. */
const batchSize = 1000;
