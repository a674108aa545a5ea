import type { CDPSession, Page } from "playwright-core";

/** What a tab holds when everything nobody needs any more has been thrown away. */
interface Held {
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

export interface Memory {
  readonly samples: readonly Held[];
  /** How much more of each there is in the last third than in the first: 1 is as much. */
  readonly growth: Readonly<Record<keyof Held, number>>;
}

const betweenMs = 1000;

/** Looks again and again for so long; the first moments, in which a page fills itself, do not count. */
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

/** Keeps every answer of the log, as a cache that nobody empties would. */
export const plantLeak = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const kept: unknown[] = [];
    const real = fetch;
    globalThis.fetch = async (...asked) => {
      const answer = await real(...asked);
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

export function told({ samples, growth }: Memory): string {
  const middle = (of: keyof Held) => median(samples.map((it) => it[of]));
  const part = (of: keyof Held, unit = "", by = 1) =>
    `${(middle(of) / by).toFixed(by === 1 ? 0 : 1)}${unit} (x ${growth[of].toFixed(3)})`;
  return `heap ${part("heapBytes", " MB", 1e6)}, ${part("nodes", " nodes")}, ${part("listeners", " listeners")}, ${samples.length} looks`;
}
