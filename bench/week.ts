import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { basePath } from "@portcullis/contract/api";
import { createGateway } from "../daemon/src/app/gateway.ts";
import { createLog } from "../daemon/src/app/log.ts";
import { parseBootstrap } from "../daemon/src/config/bootstrap.ts";
import { linux } from "../daemon/src/system/system.ts";
import { cpuMs } from "./inside-gateway.ts";
import { randomOf } from "../testing/anomaly-random.ts";
import type { Figure } from "../testing/figure.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { type DiskCounter, diskCounter } from "./week-disk.ts";
import { openWriters } from "./week-writers.ts";
import { deviceCount, queriesPerDevice, stepSec, weekDevices } from "./week-traffic.ts";

const seed = Number(process.env["SEED"] ?? 20);
const days = Number(process.env["DAYS"] ?? 7);
const earlierDays = 28;
const daySec = 86_400;
/** Steps between two looks at what was written. */
const stepsTogether = 3;
const limits = { diskMB: 200, writtenMB: 100, answerMs: 200 } as const;

/**
 * A week of 200 devices after four weeks with sums by the hour: what it takes on the disk, what it writes per day, and how long
 * the API takes for any range of any device.
 */
export async function week(): Promise<Figure[]> {
  using folder = temporaryFolder();
  const state = join(folder.path, "state");
  mkdirSync(state, { mode: 0o700 });
  const disk = diskCounter(state);
  const beginSec = Date.UTC(2026, 0, 5) / 1000;
  const ids = fill(state, disk, beginSec);
  const { perDay, sizes } = ids;
  const latencies = await measureAnswers(folder.path, (beginSec + days * daySec) * 1000, ids.ids);
  if (!perDay.every((it) => [...it.values()].some((bytes) => bytes > 0)))
    throw new Error("The temporary folder is not on a disk: nothing was written");
  const total = (it: ReadonlyMap<string, number>) => [...it.values()].reduce((sum, bytes) => sum + bytes, 0) / 1e6;
  const assumptions = `${deviceCount} devices, ${queriesPerDevice} DNS queries per device and day, seed ${seed}`;
  return [
    {
      name: "a week of 200 devices, on disk",
      value: total(sizes),
      unit: "MB",
      most: limits.diskMB,
      note: `${textOf(sizes)}; ${assumptions}`,
    },
    {
      name: "a week of 200 devices, written on the day with the most",
      value: Math.max(...perDay.map(total)),
      unit: "MB",
      most: limits.writtenMB,
      note: `days: ${perDay.map((it) => total(it).toFixed(0)).join(", ")} MB; the last: ${textOf(perDay.at(-1)!)}`,
    },
    ...latencies,
  ];
}

const textOf = (bytes: ReadonlyMap<string, number>): string =>
  [...bytes]
    .filter(([, it]) => it >= 5e4)
    .map(([name, it]) => `${name} ${(it / 1e6).toFixed(1)} MB`)
    .join(", ");

function fill(state: string, disk: DiskCounter, beginSec: number) {
  const devices = weekDevices(seed);
  const writers = openWriters({ folder: state, beginSec, addresses: devices.map(({ address }) => address) });
  writers.writeEarlier(earlierDays, devices);
  disk.counted("before", () => {});
  disk.taken();
  const perDay: ReadonlyMap<string, number>[] = [];
  for (let day = 0; day < days; day += 1) {
    const startedAt = performance.now();
    for (let second = day * daySec; second < (day + 1) * daySec; second += stepsTogether * stepSec) {
      const steps = Array.from({ length: stepsTogether }, (_, n) => {
        const atSec = second + n * stepSec;
        return { atSec, all: devices.map((it) => it.doing(earlierDays * daySec + atSec)) };
      });
      disk.counted("DNS log", () => steps.forEach(writers.logQueries));
      disk.counted("traffic history", () => steps.forEach(writers.recordTraffic));
      disk.counted("anomalies", () => steps.forEach(writers.observe));
      disk.counted("observed devices", () => steps.forEach(writers.see));
      disk.counted("alerts and changes", () => steps.forEach(writers.change));
    }
    perDay.push(disk.taken());
    process.stdout.write(
      `week: day ${day + 1} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${textOf(perDay.at(-1)!)}; files: ${textOf(disk.sizes())}\n`,
    );
  }
  const sizes = disk.sizes();
  writers.close();
  disk.close();
  return { perDay, sizes, ids: writers.ids };
}

const ranges = { hour: 1 / 24, day: 1, week: 7, month: 30 } as const;
const requestsPerRange = 40;

/** Through the API of a gateway that was started on these files. */
async function measureAnswers(folder: string, nowMs: number, ids: readonly string[]): Promise<Figure[]> {
  const parsed = parseBootstrap(
    JSON.stringify({
      listen: { api_addr: "127.0.0.1:0" },
      paths: { state: "./state", run: "./run" },
      dataplane: { enabled: false },
      limits: { requests_per_minute: 1_000_000 },
    }),
    join(folder, "portcullis.yaml"),
  );
  if (parsed.kind === "mistakes") throw new Error(JSON.stringify(parsed.mistakes));
  const gateway = await createGateway({
    ...parsed,
    system: linux,
    log: createLog("error"),
    now: () => new Date(nowMs),
    webFolder: undefined,
    checkAnswers: false,
  });
  const origin = `${(await gateway.listen()).replace(/\/$/, "")}${basePath}`;
  // The first request of a process also loads the client.
  await (await fetch(`${origin}/traffic/summary`)).text();
  const random = randomOf(seed + 1);
  const figures: Figure[] = [];
  const measure = async (name: string, pathOf: (since: string) => string): Promise<void> => {
    const took: { ms: number; cpuMs: number; range: string; rows: number }[] = [];
    for (const [range, length] of Object.entries(ranges))
      for (let n = 0; n < requestsPerRange; n += 1) {
        // Ranges end now, or at another time of the week.
        const untilMs = n % 2 === 0 ? nowMs : nowMs - random.between(0, 6 * daySec * 1000);
        const since = `since=${new Date(untilMs - length * daySec * 1000).toISOString()}&until=${new Date(untilMs).toISOString()}`;
        const [startedAt, cpu] = [performance.now(), cpuMs()];
        const response = await fetch(`${origin}/traffic/${pathOf(since)}`);
        const answer = (await response.json()) as { readonly points?: readonly unknown[] } | readonly unknown[];
        const spent = { ms: performance.now() - startedAt, cpuMs: cpuMs() - cpu };
        if (!response.ok) throw new Error(JSON.stringify(answer));
        const rows = Array.isArray(answer) ? answer.length : (answer as { points: readonly unknown[] }).points.length;
        took.push({ ...spent, range, rows });
      }
    if (took.every(({ rows }) => rows === 0)) throw new Error(`nothing is stored: ${name}`);
    const sorted = took.toSorted((a, b) => a.ms - b.ms);
    const most = sorted.at(-1)!;
    const byRange = Object.keys(ranges)
      .map((range) => {
        const of = sorted.filter((it) => it.range === range).map(({ ms }) => ms);
        return `${range} ${of[of.length >> 1]!.toFixed(1)} and ${of.at(-1)!.toFixed(1)} ms`;
      })
      .join(", ");
    figures.push({
      name: `a week of 200 devices, longest answer: ${name}`,
      value: most.ms,
      unit: "ms",
      most: limits.answerMs,
      note: `median and longest: ${byRange}; most CPU, with the client: ${Math.max(...took.map((it) => it.cpuMs)).toFixed(0)} ms`,
    });
  };
  const device = () => random.pick(ids);
  await measure("history of a device", (range) => `history?device=${device()}&${range}`);
  await measure("history of all", (range) => `history?${range}`);
  await measure("destinations of a device", (range) => `destinations?device=${device()}&${range}`);
  await measure("destinations of all", (range) => `destinations?${range}`);
  await gateway.close();
  return figures;
}
