import type { Page } from "playwright-core";

/** What to wait for: an element, optionally with this text or value. */
export interface Target {
  readonly css: string;
  readonly text?: string;
  readonly value?: string;
  /** No such element any more. */
  readonly gone?: boolean;
  /** Its content differs from before. */
  readonly changes?: boolean;
}

export interface Watched {
  /** The DOM event of the user's input; the measurement starts with it. */
  readonly on: string;
  /** The reaction: any of these on the screen. */
  readonly reacts: readonly Target[];
  /** The fetched data, where the first reaction comes before it. */
  readonly arrives?: readonly Target[];
}

export interface Took {
  /** From the input to the frame that shows the reaction, in milliseconds. */
  readonly answer: number;
  /** The browser's own event timing of the slowest event: until the next frame. */
  readonly event: number;
  readonly data: number | undefined;
}

interface Clock {
  watched: Promise<Took>;
  watch(what: Watched): void;
  /** Long tasks: more than 50 ms in which the page did not react. */
  readonly hitches: { readonly at: number; readonly ms: number }[];
}
type Clocked = typeof globalThis & { scaleClock: Clock };

/** Installs the measurement in every page that is opened from now on. */
export const bringClock = (page: Page): Promise<unknown> => page.addInitScript(installClock);

/** Performs an input and returns how long the page took to show the reaction. */
export async function timed(page: Page, what: Watched, act: () => Promise<void>): Promise<Took> {
  await page.evaluate((it) => (globalThis as Clocked).scaleClock.watch(it), what);
  await act();
  return page.evaluate(() => (globalThis as Clocked).scaleClock.watched);
}

/** The longest tasks since the last call. */
export const hitches = (page: Page): Promise<number[]> =>
  page.evaluate(() => {
    const { hitches: all } = (globalThis as Clocked).scaleClock;
    return all.splice(0).map(({ ms }) => ms);
  });

/** Runs in the page and checks once per frame. */
export function installClock(): void {
  const timeoutMs = 60_000;
  const events: PerformanceEventTiming[] = [];
  const long: { at: number; ms: number }[] = [];
  new PerformanceObserver((list) => events.push(...(list.getEntries() as PerformanceEventTiming[]))).observe({
    type: "event",
    durationThreshold: 16,
  } as PerformanceObserverInit);
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) long.push({ at: startTime, ms: Math.round(duration) });
  }).observe({ type: "longtask" });

  const textOf = (css: string): string => [...document.querySelectorAll(css)].map((it) => it.textContent).join("\n");
  const detectorFor = ({ css, text, value, gone, changes }: Target): (() => boolean) => {
    const before = textOf(css);
    if (changes) return () => textOf(css) !== before;
    const fits = (it: Element): boolean =>
      (text === undefined || it.textContent.includes(text)) &&
      (value === undefined || (it as HTMLInputElement).value === value);
    return () => [...document.querySelectorAll(css)].some(fits) !== (gone ?? false);
  };
  /** Resolves when the current frame has been shown. */
  const shown = (): Promise<number> =>
    new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now());
      port2.postMessage(0);
    });
  const nextFrame = (): Promise<unknown> => new Promise((done) => requestAnimationFrame(done));
  const until = async (targets: readonly Target[], detectors: readonly (() => boolean)[]): Promise<number> => {
    const end = performance.now() + timeoutMs;
    do await nextFrame();
    while (!detectors.some((sees) => sees()) && performance.now() < end);
    if (performance.now() >= end) throw new Error(`Never seen: ${JSON.stringify(targets)}`);
    return shown();
  };

  const watch = ({ on, reacts, arrives }: Watched): void => {
    const [answers, arrivals] = [reacts.map(detectorFor), arrives?.map(detectorFor)];
    const touched = new Promise<Event>((done) => addEventListener(on, done, { capture: true, once: true }));
    const measure = async (): Promise<Took> => {
      const { timeStamp: from } = await touched;
      const [answered, arrived] = await Promise.all([until(reacts, answers), arrives && until(arrives, arrivals!)]);
      await new Promise((next) => setTimeout(next, 100)); // Event timing entries are reported after the event.
      const own = events.filter(({ startTime }) => startTime >= from - 1 && startTime < answered);
      return {
        answer: answered - from,
        event: Math.max(0, ...own.map(({ duration }) => duration)),
        data: arrived && arrived - from,
      };
    };
    clock.watched = measure();
    clock.watched.catch(() => {});
  };
  const clock: Clock = { watch, hitches: long, watched: Promise.reject(new Error("Nothing is watched")) };
  clock.watched.catch(() => {});
  (globalThis as Clocked).scaleClock = clock;
}
