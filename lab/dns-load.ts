import type { Host } from "./namespaces.ts";
import { startJsonScript } from "./json-script.ts";

/** Sends DNS queries at a steady rate, without waiting for responses. */
export interface DnsLoad {
  readonly report: () => Promise<DnsLoadReport>;
  /** When all of `count` are sent, and answered or lost. */
  readonly finish: () => Promise<DnsLoadReport>;
  /** Sends no more, and waits for responses in flight. */
  readonly stop: () => Promise<DnsLoadReport>;
}

export interface DnsLoadOptions {
  /** An address of either family. */
  readonly server: string;
  readonly rate: number;
  /** Source ports, in turns; a few unless given. */
  readonly sockets?: number;
  /** Without it: until stopped. */
  readonly count?: number;
  /** Names below this domain that were never queried before. */
  readonly fresh?: string;
  /** These names, in turns. */
  readonly names?: readonly string[];
  /** So many of each of the names: a star in it stands for the number. */
  readonly numbered?: number;
  /** With names of both kinds: one of so many is fresh. */
  readonly freshEach?: number;
  readonly types?: readonly string[];
  readonly dnssec?: boolean;
  /**
   * A query without a response after this time counts as lost. The default is long: a response of a slow machine is
   * late, not lost.
   */
  readonly timeoutSec?: number;
  /** Before all others on the machine: what it waits for is then the server, not the processor. */
  readonly urgent?: boolean;
  /** The port that is called by UDP at every address answered, the moment the answer is there; of so many answers once by TCP, too. */
  readonly follow?: { readonly port: number; readonly tcpEach?: number };
}

export interface DnsLoadReport {
  readonly sent: number;
  readonly answered: number;
  /** Not answered within the time; `late` ones came after it. */
  readonly lost: number;
  readonly late: number;
  /** Neither answered nor given up. */
  readonly open: number;
  /** Calls to addresses answered. */
  readonly followed: number;
  readonly rcodes: Readonly<Record<string, number>>;
  /** When the first response with an address arrived, by `monotonicSec`. */
  readonly firstGoodAtSec: number | null;
  readonly latencyMs: Readonly<Record<"p50" | "p90" | "p99" | "max", number | null>>;
  /** The longest time between one answer and the next. */
  readonly longestSilenceMs: number;
  /** The largest delay of the sender itself: caused by the machine, not by the server. */
  readonly lagMs: number;
  readonly seconds: number;
  readonly lostInSecond: Readonly<Record<string, number>>;
}

/** Resolves once it sends. */
export async function startDnsLoad(
  host: Host,
  { timeoutSec, freshEach, follow, ...rest }: DnsLoadOptions,
): Promise<DnsLoad> {
  const options = {
    ...rest,
    ...(freshEach !== undefined && { fresh_each: freshEach }),
    ...(timeoutSec !== undefined && { timeout: timeoutSec }),
    ...(follow && { follow: follow.port, tcp_each: follow.tcpEach ?? 0 }),
  };
  const script = await startJsonScript(host, "dns-load.py", JSON.stringify(options));
  return {
    report: () => script.request("report") as Promise<DnsLoadReport>,
    finish: () => script.request("finish") as Promise<DnsLoadReport>,
    stop: () => script.request("stop") as Promise<DnsLoadReport>,
  };
}

/** One query, by kdig: rcode and answers. Undefined without a response. */
export async function queryOnce(
  host: Host,
  server: string,
  name: string,
  type = "A",
  ...flags: string[]
): Promise<
  { readonly status: string; readonly answers: readonly string[]; readonly isAuthentic: boolean } | undefined
> {
  const args = [`@${server}`, name, type, "+timeout=5", "+retry=0", "+nocrypto", ...flags];
  const text = await host.run("kdig", ...args).catch(() => undefined);
  if (text === undefined) return undefined;
  const status = /opcode: \w+; status: (\w+)/.exec(text)?.[1];
  if (status === undefined) return undefined;
  const section = /;; ANSWER SECTION:\n([\s\S]*?)\n\n/.exec(text)?.[1] ?? "";
  const answers = section.split("\n").flatMap((line) => (line === "" ? [] : [line.split(/\s+/).slice(3).join(" ")]));
  return { status, answers, isAuthentic: /Flags:[^;]* ad[ ;]/.test(text) };
}
