import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type DnsLog, openDnsLog } from "../daemon/src/ledger/dns-log.ts";
import type { LoggedAnswer } from "../daemon/src/ledger/dns-log-pages.ts";
import { databaseFiles } from "../daemon/src/system/database-files.ts";

/** Opens the DNS log of this folder as the daemon does. */
export function dnsLogIn(
  folder: string,
  options: { rowsKept?: number; nowMs?: () => number; warn?: (sentence: string, error: unknown) => void } = {},
): DnsLog {
  const path = join(folder, "dns-log.db");
  return openDnsLog({
    path,
    rowsKept: 1_000_000,
    nowMs: Date.now,
    pause: () => nextTurn(),
    warn: () => {},
    ...databaseFiles(path),
    ...options,
  });
}

/** The n-th of many answers: a few hundred clients, some fifty thousand names, every seventh blocked. */
export const sampleAnswer = (n: number, more: Partial<LoggedAnswer> = {}): LoggedAnswer => ({
  atMs: 1_790_000_000_000 + n * 40,
  latencyUs: 200 + (n % 1000),
  client: `10.0.${n % 3}.${n % 200}`,
  name: `host-${(n * 7919) % 50_000}.cdn.example-${n % 300}.com`,
  type: n % 2 === 0 ? 1 : 28,
  rcode: 0,
  resolver: n % 4,
  side: n % 3 === 0 ? "cache" : "front",
  verdict: n % 7 === 0 ? "block" : "none",
  answers: 2,
  keep: "full",
  cause: n % 7 === 0 ? { resource_type: "dns_list", resource_id: "list-1", name: "Advertisements" } : null,
  ...more,
});

export const sampleAnswers = (count: number, first = 0): LoggedAnswer[] =>
  Array.from({ length: count }, (_, n) => sampleAnswer(first + n));
