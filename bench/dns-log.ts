import { readFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { decodeMessage, framesOf } from "../daemon/src/engines/dnsdist/log.parse.ts";
import type { DnsLog } from "../daemon/src/ledger/dns-log.ts";
import { dnsLogIn, sampleAnswers } from "../testing/dns-log.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { ownMs } from "../testing/clock.ts";
import type { Measurement } from "./run.ts";

const rows = 1_000_000;
const batchRows = 400;
const times = 3;
const recording = new URL("../daemon/src/engines/dnsdist/recordings/log.base64", import.meta.url);

/** What writing an answer down costs, and how long a page of a full log takes when nothing is found until its end. */
export async function dnsLog(): Promise<Measurement[]> {
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
    await page(log, "a part of a name", { name: "nothing-like-it" }),
    await page(log, "a domain", { name: ".nothing.example" }),
    await page(log, "a client that is rare", { clients: ["10.9.9.9"] }),
    await page(log, "everything at once", { name: "nothing", type: 28, verdict: "block", sinceMs: 1, untilMs: 9e15 }),
  ];
  const namesMs = await middling(() => log.names(100_000));
  log.close();
  const bareMs = await scanMs(join(folder.path, "dns-log.db"));
  // A page is made of looking through names, and so is what is asked for most; the rest is quick on any machine.
  const pace = bareMs / usualScanMs;
  return [
    { name: "dns log: decode", ratio: decodeUs(), unit: "µs a record", most: 5, note: "recorded bytes of dnsdist" },
    {
      name: "dns log: write",
      ratio: write.perRowUs,
      unit: "µs a row",
      most: 15,
      note: `longest turn ${ms(write.worstMs)}`,
    },
    {
      name: "dns log: write when full",
      ratio: ring.perRowUs,
      unit: "µs a row",
      most: 15,
      note: `longest turn ${ms(ring.worstMs)}`,
    },
    { name: "dns log: open", ratio: openMs, unit: "ms", most: 100, note: `${rows} rows` },
    ...pages.map((it) => ({ ...it, pace })),
    {
      name: "dns log: names asked for most",
      ratio: namesMs,
      unit: "ms",
      most: 300,
      pace,
      note: "of the newest 100,000",
    },
  ];
}

/** What SQLite alone takes to look through all names. */
async function scanMs(file: string): Promise<number> {
  const bare = new DatabaseSync(file, { readOnly: true });
  try {
    const count = bare.prepare("SELECT count(*) FROM answer WHERE instr(name, ?) > 0");
    return await middling(async () => count.get("nothing-like-it"));
  } finally {
    bare.close();
  }
}

/** The same where the marks were set: there a page for a part of a name took 101 ms, where it takes 240 this takes 187. */
const usualScanMs = 78;

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

async function page(log: DnsLog, what: string, search: Partial<Parameters<DnsLog["search"]>[0]>): Promise<Measurement> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let found = 0;
  const cpu = cpuMs();
  const tookMs = await middling(async () => void (found = (await log.search({ ...search, limit: 100 })).length));
  delay.disable();
  const spentMs = (cpuMs() - cpu) / times;
  const note = `${found} found, ${ms(spentMs)} of processor time; others waited ${ms(delay.max / 1e6)} at most`;
  return { name: `dns log: page, ${what}`, ratio: tookMs, unit: "ms", most: 300, note };
}

/** The middle of three times: a neighbour's moment on the machine is not the log's. */
async function middling(work: () => Promise<unknown>): Promise<number> {
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

/** Of this process: what the neighbours on the machine do is none of its cost. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
