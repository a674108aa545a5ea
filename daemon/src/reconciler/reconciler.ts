import type { Desired } from "../compiler/compile.ts";
import type { Drift, Engine } from "../engines/engine.ts";

/** One engine per field of what the compiler desires, in the order they must change. */
// oxlint-disable-next-line typescript/no-explicit-any -- what an engine observes and changes is its own affair
export type EngineSet<D extends object = Desired> = { readonly [Name in keyof D]: Engine<D[Name], any, any> };

export interface Outcome {
  readonly engine: string;
  readonly changes: number;
  readonly error?: Error;
}

/** Something that was changed behind our back, and when we found it. */
export interface DriftItem extends Drift {
  readonly type: string;
  readonly at: string;
}

/** Thrown instead of a desired state while nothing may be applied, whatever is published. */
export class Withheld extends Error {}

interface Needs<D extends object> {
  /** The revision that is published, and what the compiler makes of it. */
  readonly published: () =>
    | { readonly revision: number; readonly desired: D }
    | Promise<{ readonly revision: number; readonly desired: D }>;
  readonly engines: Partial<EngineSet<D>>;
  /** Engines that have nothing to do with each other: one that fails does not keep the later ones waiting. */
  readonly independent?: boolean;
  readonly now: () => Date;
  readonly onApplied: (revision: number) => void;
  readonly onDrift: (items: readonly DriftItem[]) => void;
}

export interface Reconciler {
  /** Something moved: run a cycle, or one more after the one that runs. */
  readonly wake: () => void;
  /** Resolves when everything that was asked for until now has been tried. What failed before is tried again. */
  whenIdle(): Promise<void>;
  /** The same for one revision: it may be in force before all the rest is. */
  whenApplied(revision: number): Promise<void>;
  appliedRevision(): number;
  outcomes(): readonly Outcome[];
  /** The newest first. */
  drift(): readonly DriftItem[];
  report(enabled: boolean): Report;
  health(enabled: boolean): { name: string; status: "ok" | "failed" | "off"; message: string };
  /** Lets the cycle that runs come to its end and begins no other. */
  close(): Promise<void>;
}

/** The state of affairs in words. */
export interface Report {
  readonly running: boolean;
  readonly last_run: string | null;
  readonly applied_revision: number;
  readonly drift_count: number;
  readonly engines: { name: string; status: "ok" | "failed"; changes: number; message: string }[];
}

const driftKept = 200;

/** What failed is tried again by itself: soon, then ever more slowly. */
const retryMs = { first: 1000, most: 30_000 };

/** Makes Linux look like what is published. One cycle per burst of changes, never two at once. */
export function createReconciler<D extends object>({
  published,
  engines,
  independent = false,
  now,
  onApplied,
  onDrift,
}: Needs<D>): Reconciler {
  let running: Promise<void> | undefined;
  let requested = false;
  let cycling = false;
  const waitingFor = new Set<{ readonly revision: number; readonly resolve: () => void }>();
  /** The cycle that runs, and the one that would come after it. */
  let [current, upcoming] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let applied = 0;
  /** What each engine was last brought to. The compiler answers the same object for as long as it means the same. */
  const reached = new Map<string, unknown>();
  let last: readonly Outcome[] = [];
  let lastRun: string | undefined;
  const drift: DriftItem[] = [];

  let retry: NodeJS.Timeout | undefined;
  let failures = 0;
  let closed = false;

  function wake(): void {
    requested = true;
    running ??= run().finally(() => {
      running = undefined;
      if (requested && !closed) wake(); // Asked for in the very moment it ended.
    });
  }

  function tryAgain(): void {
    failures += 1;
    retry = setTimeout(wake, Math.min(retryMs.most, retryMs.first * 2 ** (failures - 1)));
    retry.unref();
  }

  async function run(): Promise<void> {
    while (requested && !closed) {
      requested = false;
      [current, upcoming] = [upcoming, Promise.withResolvers()];
      clearTimeout(retry);
      cycling = true;
      await once().finally(() => {
        cycling = false;
        current.resolve();
      });
    }
  }

  async function once(): Promise<void> {
    const { revision, outcomes, items } = await attempt();
    last = outcomes;
    lastRun = now().toISOString();
    if (items.length > 0) {
      drift.unshift(...items);
      drift.length = Math.min(drift.length, driftKept);
      onDrift(items);
    }
    if (outcomes.some(({ error }) => error)) return tryAgain();
    failures = 0;
    applied = revision;
    onApplied(revision);
    for (const waiting of waitingFor) if (waiting.revision <= revision) waiting.resolve();
  }

  /** Whatever goes wrong is an outcome: nobody would hear it otherwise. */
  async function attempt(): Promise<{ revision: number; outcomes: Outcome[]; items: DriftItem[] }> {
    try {
      const { revision, desired } = await published();
      return { revision, ...(await cycle(desired)) };
    } catch (error) {
      const engine = error instanceof Withheld ? "enforcement" : "compiler";
      // What was removed on purpose is no drift when it is applied again.
      if (error instanceof Withheld) reached.clear();
      return { revision: applied, outcomes: [{ engine, changes: 0, error: error as Error }], items: [] };
    }
  }

  /** Observe, compare, apply, engine by engine. After one that failed the later ones wait, unless they are independent: what is half done stays shut. */
  async function cycle(desired: D): Promise<{ outcomes: Outcome[]; items: DriftItem[] }> {
    const outcomes: Outcome[] = [];
    const items: DriftItem[] = [];
    for (const name of Object.keys(engines) as (keyof D & string)[]) {
      const engine = engines[name]!;
      try {
        const actual: unknown = await engine.observe();
        const changes: readonly unknown[] = engine.changes(desired[name], actual);
        // Changes nobody asked for since the last cycle are somebody else's.
        if (changes.length > 0 && reached.get(name) === desired[name]) {
          const at = now().toISOString(); // One time for all of them: the summary recognizes by it what was removed together.
          items.push(...engine.drift(changes, actual).map((it) => ({ type: name, at, ...it })));
        }
        if (changes.length > 0) await engine.apply(changes);
        reached.set(name, desired[name]);
        outcomes.push({ engine: name, changes: changes.length });
      } catch (error) {
        outcomes.push({ engine: name, changes: 0, error: error as Error });
        if (!independent) break;
      }
    }
    return { outcomes, items };
  }

  async function whenIdle(): Promise<void> {
    if (!cycling && failures > 0) wake();
    if (requested) await upcoming.promise;
    else if (cycling) await current.promise;
  }

  return {
    wake,
    whenIdle,
    whenApplied: async (revision) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiting = { revision, resolve };
      waitingFor.add(waiting);
      await Promise.race([promise, whenIdle()]);
      waitingFor.delete(waiting);
    },
    close: async () => {
      closed = true;
      clearTimeout(retry);
      await running;
    },
    appliedRevision: () => applied,
    outcomes: () => last,
    drift: () => drift,
    report: (enabled) => ({
      running: enabled,
      last_run: lastRun ?? null,
      applied_revision: applied,
      drift_count: drift.length,
      engines: last.map(({ engine, changes, error }) => ({
        name: engine,
        status: error ? ("failed" as const) : ("ok" as const),
        changes,
        message: error?.message ?? "",
      })),
    }),
    health: (enabled) => {
      const failed = last.filter(({ error }) => error);
      const message = failed.map(({ engine, error }) => `${engine}: ${error!.message}`).join("; ");
      if (failed.length > 0) return { name: "dataplane", status: "failed", message };
      return enabled
        ? { name: "dataplane", status: "ok", message: `revision ${applied} is in force` }
        : { name: "dataplane", status: "off", message: "dataplane.enabled is false: nothing is driven" };
    },
  };
}
