import type { CDPSession, Page } from "playwright-core";

/** Heap of a tab after garbage collection. */
interface Held {
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

export interface Memory {
  readonly samples: readonly Held[];
  /** Ratio of the last third to the first: 1 is no growth. */
  readonly growth: Readonly<Record<keyof Held, number>>;
}

const betweenMs = 1000;

/** Samples for this long; the first samples, while the page loads, do not count. */
export async function watchMemory(page: Page, minutes: number, warmUpSec = 10): Promise<Memory> {
  const line = await page.context().newCDPSession(page);
  await page.waitForTimeout(warmUpSec * 1000);
  const samples: Held[] = [];
  const end = performance.now() + minutes * 60_000;
  while (performance.now() < end) {
    samples.push(await held(line));
    await page.waitForTimeout(betweenMs);
  }
  await line.detach();
  const third = Math.ceil(samples.length / 3);
  const growth = (of: keyof Held): number =>
    median(samples.slice(-third).map((it) => it[of])) / median(samples.slice(0, third).map((it) => it[of]));
  return {
    samples,
    growth: { heapBytes: growth("heapBytes"), nodes: growth("nodes"), listeners: growth("listeners") },
  };
}

async function held(line: CDPSession): Promise<Held> {
  await line.send("HeapProfiler.collectGarbage");
  const { usedSize } = await line.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await line.send("Memory.getDOMCounters");
  return { heapBytes: usedSize, nodes, listeners: jsEventListeners };
}

/** Keeps every response of the log, as a cache without eviction would. */
export const plantLeak = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const kept: unknown[] = [];
    const real = fetch;
    globalThis.fetch = async (...args) => {
      const answer = await real(...args);
      if (answer.url.includes("/dns/log"))
        void answer
          .clone()
          .json()
          .then((rows) => kept.push(rows));
      return answer;
    };
    Object.assign(globalThis, { kept });
  });

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

export function memoryText({ samples, growth }: Memory): string {
  const middle = (of: keyof Held) => median(samples.map((it) => it[of]));
  const part = (of: keyof Held, unit = "", by = 1) =>
    `${(middle(of) / by).toFixed(by === 1 ? 0 : 1)}${unit} (x ${growth[of].toFixed(3)})`;
  return `heap ${part("heapBytes", " MB", 1e6)}, ${part("nodes", " nodes")}, ${part("listeners", " listeners")}, ${samples.length} looks`;
}
