import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { decodeMessage, framesOf } from "../daemon/src/engines/dnsdist/log.parse.ts";
import type { DnsLog } from "../daemon/src/ledger/dns-log.ts";
import { dnsLogIn, sampleAnswers } from "../testing/dns-log.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { ownMs } from "../testing/clock.ts";
import type { Figure } from "../testing/figure.ts";

const rows = 1_000_000;
const batchRows = 400;
const times = 3;
const recording = new URL("../daemon/src/engines/dnsdist/recordings/log.base64", import.meta.url);

/** CPU of logging an answer, and the time of a page of a full log when the search reaches its end. */
export async function dnsLog(): Promise<Figure[]> {
  using folder = temporaryFolder();
  let log = dnsLogIn(folder.path, { rowsKept: rows });
  const write = fill(log);
  log.close();
  const openedAt = ownMs();
  log = dnsLogIn(folder.path, { rowsKept: rows });
  const openMs = ownMs() - openedAt;
  const ring = fill(log);
  const pages = [
    await page(log, "any row", {}),
    await page(log, "part of a name", { name: "nothing-like-it" }),
    await page(log, "domain", { name: ".nothing.example" }),
    await page(log, "client without rows", { clients: ["10.9.9.9"] }),
    await page(log, "all filters", { name: "nothing", type: 28, verdict: "block", sinceMs: 1, untilMs: 9e15 }),
  ];
  const namesMs = await median(() => log.names(100_000));
  log.close();
  return [
    {
      name: "DNS log, decode",
      value: decodeUs(),
      unit: "µs per record",
      most: 5,
      note: "recorded messages of dnsdist",
    },
    {
      name: "DNS log, write",
      value: write.perRowUs,
      unit: "µs per row",
      most: 15,
      note: `CPU time; longest batch of ${batchRows} rows ${ms(write.worstMs)}`,
    },
    {
      name: "DNS log, write when full",
      value: ring.perRowUs,
      unit: "µs per row",
      most: 15,
      note: `CPU time; longest batch of ${batchRows} rows ${ms(ring.worstMs)}`,
    },
    { name: "DNS log, open", value: openMs, unit: "ms", most: 100, note: `${rows} rows` },
    ...pages,
    { name: "DNS log, most frequent names", value: namesMs, unit: "ms", most: 300, note: "of the newest 100,000 rows" },
  ];
}

function fill(log: DnsLog): { readonly perRowUs: number; readonly worstMs: number } {
  let [spentMs, worstMs] = [0, 0];
  for (let first = 0; first < rows; first += batchRows) {
    const batch = sampleAnswers(batchRows, first);
    const [at, cpu] = [ownMs(), cpuMs()];
    log.write(batch);
    spentMs += cpuMs() - cpu;
    worstMs = Math.max(worstMs, ownMs() - at);
  }
  return { perRowUs: (spentMs * 1000) / rows, worstMs };
}

async function page(log: DnsLog, what: string, search: Partial<Parameters<DnsLog["search"]>[0]>): Promise<Figure> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let found = 0;
  const cpu = cpuMs();
  const tookMs = await median(async () => void (found = (await log.search({ ...search, limit: 100 })).length));
  delay.disable();
  const spentMs = (cpuMs() - cpu) / times;
  const note = `${found} rows found, ${ms(spentMs)} of CPU; event loop blocked for ${ms(delay.max / 1e6)} at most`;
  return { name: `DNS log, page: ${what}`, value: tookMs, unit: "ms", most: 300, note };
}

/** The median of three: other load on the machine disturbs single runs. */
async function median(work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const at = ownMs();
    await work();
    took.push(ownMs() - at);
  }
  return took.toSorted((a, b) => a - b)[Math.floor(times / 2)]!;
}

function decodeUs(): number {
  const bytes = Buffer.from(readFileSync(recording, "utf8"), "base64");
  const many = Buffer.concat(Array.from({ length: 20 }, () => bytes));
  let decoded = 0;
  const cpu = cpuMs();
  while (decoded < 200_000) {
    const { frames } = framesOf(many);
    for (const frame of frames) decodeMessage(many, frame);
    decoded += frames.length;
  }
  return ((cpuMs() - cpu) * 1000) / decoded;
}

/** Of this process only, which other load on the machine changes little. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
