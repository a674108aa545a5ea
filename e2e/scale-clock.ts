import type { Page } from "playwright-core";

/** What is to be seen: an element, perhaps with this text or value in it. */
export interface Sight {
  readonly css: string;
  readonly text?: string;
  readonly value?: string;
  /** None of the kind any more. */
  readonly gone?: boolean;
  /** It says something else than before. */
  readonly changes?: boolean;
}

export interface Watched {
  /** The event that a person's hand causes; time begins with it. */
  readonly on: string;
  /** The answer: any of these on the screen. */
  readonly reacts: readonly Sight[];
  /** What has to be fetched, where that is more. */
  readonly arrives?: readonly Sight[];
}

export interface Took {
  /** From the hand's movement to the frame that shows the answer, in milliseconds. */
  readonly answer: number;
  /** The browser's own figure for the slowest event of it: until the next frame, whatever is on it. */
  readonly event: number;
  readonly data: number | undefined;
}

interface Clock {
  watched: Promise<Took>;
  watch(what: Watched): void;
  /** Stretches of more than 50 ms in which the page could not answer anybody. */
  readonly hitches: { readonly at: number; readonly ms: number }[];
}
type Clocked = typeof globalThis & { scaleClock: Clock };

/** Puts a clock into every page that is opened from now on. */
export const bringClock = (page: Page): Promise<unknown> => page.addInitScript(installClock);

/** Does something by hand and says how long the page took to show it. */
export async function timed(page: Page, what: Watched, act: () => Promise<void>): Promise<Took> {
  await page.evaluate((it) => (globalThis as Clocked).scaleClock.watch(it), what);
  await act();
  return page.evaluate(() => (globalThis as Clocked).scaleClock.watched);
}

/** The longest stretches without an answer since last asked. */
export const hitches = (page: Page): Promise<number[]> =>
  page.evaluate(() => {
    const { hitches: all } = (globalThis as Clocked).scaleClock;
    return all.splice(0).map(({ ms }) => ms);
  });

/** Runs in the page. It looks in every frame, which is as often as anything can be seen. */
export function installClock(): void {
  const patienceMs = 60_000;
  const events: PerformanceEventTiming[] = [];
  const long: { at: number; ms: number }[] = [];
  new PerformanceObserver((list) => events.push(...(list.getEntries() as PerformanceEventTiming[]))).observe({
    type: "event",
    durationThreshold: 16,
  } as PerformanceObserverInit);
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) long.push({ at: startTime, ms: Math.round(duration) });
  }).observe({ type: "longtask" });

  const said = (css: string): string => [...document.querySelectorAll(css)].map((it) => it.textContent).join("\n");
  const looker = ({ css, text, value, gone, changes }: Sight): (() => boolean) => {
    const before = said(css);
    if (changes) return () => said(css) !== before;
    const fits = (it: Element): boolean =>
      (text === undefined || it.textContent.includes(text)) &&
      (value === undefined || (it as HTMLInputElement).value === value);
    return () => [...document.querySelectorAll(css)].some(fits) !== (gone ?? false);
  };
  /** When the frame that is being made has been shown. */
  const shown = (): Promise<number> =>
    new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now());
      port2.postMessage(0);
    });
  const nextFrame = (): Promise<unknown> => new Promise((done) => requestAnimationFrame(done));
  const until = async (sights: readonly Sight[], lookers: readonly (() => boolean)[]): Promise<number> => {
    const end = performance.now() + patienceMs;
    do await nextFrame();
    while (!lookers.some((sees) => sees()) && performance.now() < end);
    if (performance.now() >= end) throw new Error(`Never seen: ${JSON.stringify(sights)}`);
    return shown();
  };

  const watch = ({ on, reacts, arrives }: Watched): void => {
    const [answers, arrivals] = [reacts.map(looker), arrives?.map(looker)];
    const touched = new Promise<Event>((done) => addEventListener(on, done, { capture: true, once: true }));
    const measure = async (): Promise<Took> => {
      const { timeStamp: from } = await touched;
      const [answered, arrived] = await Promise.all([until(reacts, answers), arrives && until(arrives, arrivals!)]);
      await new Promise((next) => setTimeout(next, 100)); // The browser tells of events when they are over.
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
