import { once } from "node:events";
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { type Built, type Lists, openLists } from "../daemon/src/engines/lists/lists.engine.ts";
import type { ListFormat, WantedList } from "../daemon/src/engines/lists/lists.model.ts";
import { linux } from "../daemon/src/system/system.ts";
import { ownMs, stolenSec } from "../testing/clock.ts";
import type { Figure } from "../testing/figure.ts";

const target = { buildSec: 20, blockedMs: 50, memoryMb: 800, startMs: 1000 };

/**
 * Two million names of four lists in four formats, parsed and built in a worker thread. The longest time in which the main
 * thread is blocked is measured without its waiting time for a processor, which depends on other load.
 */
export async function lists(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  try {
    const wanted = await Promise.all(parts.map((part, bit) => write(folder, part, bit)));
    const read = await buildLists(folder, wanted);
    const built = await buildLists(
      folder,
      wanted.map((list) => ({ ...list, bit: list.bit + 1 })),
    );
    const again = await buildLists(
      folder,
      wanted.map((list) => ({ ...list, bit: list.bit + 1 })),
    );
    const all = [read, built, again];
    if (!read.built || !built.built || !again.built) throw new Error("The lists were not built");
    const waitedMs = Math.round(Math.max(...all.map((it) => it.waitedMs)));
    return [
      {
        name: "block lists, build of 2,000,000 names",
        value: built.tookMs / 1000,
        unit: "s",
        most: target.buildSec,
        note: `${built.built.names} names, ${Math.round(built.built.bytes / 1e6)} MB; ${(read.tookMs / 1000).toFixed(1)} s with reading and checking`,
      },
      {
        name: "block lists, longest time the main thread is blocked",
        value: Math.max(...all.map((it) => it.blockedMs)),
        unit: "ms",
        most: target.blockedMs,
        note: `${waitedMs} ms with the time it waited for a processor`,
      },
      {
        name: "block lists, additional memory while building",
        value: Math.max(...all.map((it) => it.memoryMb)),
        unit: "MB",
        most: target.memoryMb,
        note: "resident set of the process, more than before",
      },
      {
        name: "block lists, ready after a restart",
        value: again.tookMs,
        unit: "ms",
        most: target.startMs,
        note: "loaded, not built again",
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Part {
  readonly format: ListFormat;
  readonly from: number;
  readonly to: number;
  readonly line: (name: string) => string;
}

/** Overlapping, like real lists. */
const parts: readonly Part[] = [
  { format: "hosts", from: 0, to: 800_000, line: (name) => `0.0.0.0 ${name}\n` },
  { format: "domains", from: 600_000, to: 1_300_000, line: (name) => `${name}\n` },
  { format: "adblock", from: 1_200_000, to: 1_700_000, line: (name) => `||${name}^\n` },
  { format: "rpz", from: 1_600_000, to: 2_000_000, line: (name) => `${name} CNAME .\n` },
];

async function write(folder: string, { format, from, to, line }: Part, bit: number): Promise<WantedList> {
  const path = `sample.${format}`;
  const file = createWriteStream(join(folder, path));
  for (let n = from; n < to; n++) if (!file.write(line(sampleName(n)))) await once(file, "drain");
  file.end();
  await once(file, "finish");
  return { id: format, bit, format, action: "block", source: { kind: "file", path } };
}

/** About as long as the names of real lists. */
const sampleName = (n: number): string => `${n.toString(36)}.tracker${n % 9973}.example${n % 7}.com`;

interface Settled {
  readonly built: Built | undefined;
  readonly tookMs: number;
  readonly blockedMs: number;
  readonly waitedMs: number;
  readonly memoryMb: number;
}

async function buildLists(folder: string, wanted: readonly WantedList[]): Promise<Settled> {
  let built: Built | undefined;
  const watch = watchThread();
  const start = ownMs();
  const open: Lists = openLists({
    system: linux,
    folder: join(folder, "state"),
    fileFolder: folder,
    ownNames: [],
    pqMode: () => "default",
    onBuilt: (it) => void (built = it),
    onProblem: (problem) => console.error(problem),
  });
  open.want(wanted);
  await open.whenIdle();
  const tookMs = ownMs() - start;
  await open.close();
  return { built, tookMs, ...watch.stop() };
}

/**
 * Measures every millisecond the delay of the timer, without the time in which this thread was runnable while the machine or its
 * host ran others, and the memory of the process.
 */
function watchThread() {
  const before = process.memoryUsage.rss();
  const max = { blockedMs: 0, waitedMs: 0, rss: before };
  let last = { at: performance.now(), runnableMs: runnableMs() };
  const timer = setInterval(() => {
    const now = { at: performance.now(), runnableMs: runnableMs() };
    const waitedMs = now.at - last.at;
    max.waitedMs = Math.max(max.waitedMs, waitedMs);
    max.blockedMs = Math.max(max.blockedMs, waitedMs - (now.runnableMs - last.runnableMs));
    max.rss = Math.max(max.rss, process.memoryUsage.rss());
    last = now;
  }, 1);
  return {
    stop: () => {
      clearInterval(timer);
      return { blockedMs: max.blockedMs, waitedMs: max.waitedMs, memoryMb: (max.rss - before) / 1e6 };
    },
  };
}

/**
 * The second field is the time that the main thread was runnable but not running, in nanoseconds. Steal time is added: it may have
 * hit the processor of this thread.
 */
const runnableMs = (): number =>
  Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[1]) / 1e6 +
  1000 * availableParallelism() * stolenSec();
