import type { Host } from "./namespaces.ts";
import { startJsonScript } from "./json-script.ts";

/** Somebody with many addresses who asks for names, and reads every answer. */
export interface DnsClient {
  /** Answers in the order of the questions; nothing for one that nobody answered. */
  readonly query: (questions: readonly DnsQuery[]) => Promise<readonly (Answer | undefined)[]>;
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
  const askSome = async (questions: readonly DnsQuery[]) => {
    const rows = questions.map(({ from, to, name, type, protocol }) => [from, to, name, type, protocol]);
    const said = (await script.request(JSON.stringify(rows))) as readonly ([number, string[]] | null)[];
    return said.map((it) => (it ? { code: it[0], answers: it[1] } : undefined));
  };
  return {
    query: async (questions) => {
      const answers: (Answer | undefined)[] = [];
      for (let first = 0; first < questions.length; first += batchSize)
        answers.push(...(await askSome(questions.slice(first, first + batchSize))));
      return answers;
    },
  };
}

/** In one line, which has to fit into a pipe's patience. */
const batchSize = 1000;
