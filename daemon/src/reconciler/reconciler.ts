import type { Desired } from "../compiler/compile.ts";
import type { Engine } from "../engines/engine.ts";

/** One engine per field of what the compiler desires, in the order they must change. */
export type EngineSet<D extends object = Desired> = { readonly [Name in keyof D]: Engine<D[Name]> };

export interface Outcome {
  readonly engine: string;
  readonly changes: number;
  readonly error?: Error;
}

interface Needs<D extends object> {
  /** The revision that is published, and what the compiler makes of it. */
  readonly published: () => { readonly revision: number; readonly desired: D };
  readonly engines: EngineSet<D>;
  readonly onApplied: (revision: number, outcomes: readonly Outcome[]) => void;
}

export interface Reconciler {
  /** Something moved: run a cycle, or one more after the one that runs. */
  wake(): void;
  /** Resolves when nothing is left to do. */
  settled(): Promise<void>;
  appliedRevision(): number;
  outcomes(): readonly Outcome[];
  health(enabled: boolean): { name: string; status: "ok" | "failed" | "off"; message: string };
}

/** Makes Linux look like what is published. One cycle per burst of changes, never two at once. */
export function createReconciler<D extends object>({ published, engines, onApplied }: Needs<D>): Reconciler {
  let running: Promise<void> | undefined;
  let asked = false;
  let applied = 0;
  let last: readonly Outcome[] = [];

  async function run(): Promise<void> {
    while (asked) {
      asked = false;
      const { revision, desired } = published();
      last = await cycle(desired, engines);
      if (last.some(({ error }) => error)) continue;
      applied = revision;
      onApplied(revision, last);
    }
  }
  return {
    wake: () => {
      asked = true;
      running ??= run().finally(() => {
        running = undefined;
      });
    },
    settled: async () => running,
    appliedRevision: () => applied,
    outcomes: () => last,
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

/** Observe, compare, apply, engine by engine. One that fails does not stop the others. */
async function cycle<D extends object>(desired: D, engines: EngineSet<D>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const name of Object.keys(engines) as (keyof D & string)[]) {
    try {
      const changes = engines[name].changes(desired[name], await engines[name].observe());
      if (changes.length > 0) await engines[name].apply(changes);
      outcomes.push({ engine: name, changes: changes.length });
    } catch (error) {
      outcomes.push({ engine: name, changes: 0, error: error as Error });
    }
  }
  return outcomes;
}
