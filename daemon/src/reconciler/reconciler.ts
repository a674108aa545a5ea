import type { Drift, Engine } from "../engines/engine.ts";

/** One engine for each field of the desired state, in the order of application. */
// oxlint-disable-next-line typescript/no-explicit-any -- each engine has its own types of observed state and changes
export type EngineSet<D extends object> = { readonly [Name in keyof D]: Engine<D[Name], any, any> };

export interface Outcome {
  readonly engine: string;
  readonly changes: number;
  readonly error?: Error;
}

/** A foreign change, and when it was found. */
export interface DriftItem extends Drift {
  readonly type: string;
  readonly at: string;
}

/** Thrown instead of a desired state while nothing may be applied, whatever is published. */
export class Withheld extends Error {}

interface Needs<D extends object> {
  /** The published revision, and its compilation. */
  readonly published: () =>
    | { readonly revision: number; readonly desired: D }
    | Promise<{ readonly revision: number; readonly desired: D }>;
  readonly engines: Partial<EngineSet<D>>;
  /** The engines do not depend on each other: a failure does not stop the later ones. */
  readonly independent?: boolean;
  readonly now: () => Date;
  /** In each cycle after each engine whose desired state is in force. */
  readonly onEngineApplied?: (engine: keyof D & string) => void;
  readonly onApplied: (revision: number) => void;
  readonly onDrift: (items: readonly DriftItem[]) => void;
}

export interface Reconciler {
  /** Something changed: run a cycle, or another one after the current one. */
  readonly wake: () => void;
  /** Resolves after a cycle for every wake until now. If the last cycle failed, it is repeated. */
  whenIdle(): Promise<void>;
  /** The same, or when a revision is applied, whichever is first. */
  whenApplied(revision: number): Promise<void>;
  appliedRevision(): number;
  outcomes(): readonly Outcome[];
  /** The newest first. */
  drift(): readonly DriftItem[];
  report(enabled: boolean): Report;
  /** The engines that failed, with the messages of their programs. */
  failures(): readonly { readonly engine: string; readonly message: string }[];
  /** Waits for the current cycle, and starts no other. */
  close(): Promise<void>;
}

/** In the type of the API. */
export interface Report {
  readonly running: boolean;
  readonly last_run: string | null;
  readonly applied_revision: number;
  readonly drift_count: number;
  readonly engines: { name: string; status: "ok" | "failed"; changes: number; message: string }[];
}

const driftKept = 200;

/** A failed cycle is repeated, with exponential backoff. */
const retryMs = { first: 1000, max: 30_000 };

/** Makes the kernel and programs match what is published. One cycle per burst of changes, never two at once. */
export function createReconciler<D extends object>({
  published,
  engines,
  independent = false,
  now,
  onEngineApplied = () => {},
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
  /** The desired state that each engine last applied. The compiler returns the identical object while nothing changes. */
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
      if (requested && !closed) wake(); // A wake while it ended.
    });
  }

  function tryAgain(): void {
    failures += 1;
    retry = setTimeout(wake, Math.min(retryMs.max, retryMs.first * 2 ** (failures - 1)));
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

  /** Every error becomes an outcome, so that it is reported. */
  async function attempt(): Promise<{ revision: number; outcomes: Outcome[]; items: DriftItem[] }> {
    try {
      const { revision, desired } = await published();
      return { revision, ...(await cycle(desired)) };
    } catch (error) {
      const engine = error instanceof Withheld ? "enforcement" : "compiler";
      // Rules that were withdrawn are no drift when they are applied again.
      if (error instanceof Withheld) reached.clear();
      return { revision: applied, outcomes: [{ engine, changes: 0, error: error as Error }], items: [] };
    }
  }

  /** Observes, compares and applies, engine by engine. A failure stops the later ones, unless they are independent: an unfinished change blocks. */
  async function cycle(desired: D): Promise<{ outcomes: Outcome[]; items: DriftItem[] }> {
    const outcomes: Outcome[] = [];
    const items: DriftItem[] = [];
    for (const name of Object.keys(engines) as (keyof D & string)[]) {
      const engine = engines[name]!;
      try {
        const actual: unknown = await engine.observe();
        const changes: readonly unknown[] = engine.changes(desired[name], actual);
        // The desired state is the same as in the last cycle, so another program has caused the difference.
        if (changes.length > 0 && reached.get(name) === desired[name]) {
          const at = now().toISOString(); // The same for all: the summary groups by it.
          items.push(...engine.drift(changes, actual).map((it) => ({ type: name, at, ...it })));
        }
        if (changes.length > 0) await engine.apply(changes);
        reached.set(name, desired[name]);
        outcomes.push({ engine: name, changes: changes.length });
        onEngineApplied(name);
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
    failures: () => last.flatMap(({ engine, error }) => (error ? [{ engine, message: error.message }] : [])),
  };
}
