import { expect, test, vi } from "vitest";
import type { Engine } from "../engines/engine.ts";
import { createReconciler, type DriftItem } from "./reconciler.ts";

/** A working engine whose world is one word. */
function wordEngine(): Engine<string, string, string> & { word: string; writes: number } {
  const engine = {
    name: "word",
    word: "",
    writes: 0,
    observe: async () => engine.word,
    changes: (desired: string, actual: string) => (desired === actual ? [] : [desired]),
    drift: ([expected]: readonly string[], actual: string) => [
      { resource: "word", field: "text", expected: expected ?? null, actual },
    ],
    apply: async ([word]: readonly string[]) => {
      if (word === "unsayable") throw new Error("cannot say that");
      engine.word = word ?? "";
      engine.writes += 1;
    },
  };
  return engine;
}

function fixture() {
  const word = wordEngine();
  const state = { revision: 1, desired: { word: "one" } };
  const applied: number[] = [];
  const drifted: DriftItem[] = [];
  const reconciler = createReconciler({
    published: () => ({ revision: state.revision, desired: state.desired }),
    engines: { word },
    now: () => new Date("2030-01-01T00:00:00Z"),
    onApplied: (revision) => applied.push(revision),
    onDrift: (items) => drifted.push(...items),
  });
  return { word, state, applied, drifted, reconciler };
}

test("reconciler: what is published comes into force, and a second cycle writes nothing", async () => {
  const { word, applied, reconciler } = fixture();
  reconciler.wake();
  await reconciler.whenIdle();
  reconciler.wake();
  await reconciler.whenIdle();
  expect({ said: word.word, writes: word.writes, applied }).toEqual({ said: "one", writes: 1, applied: [1, 1] });
});

test("reconciler: drift is repaired, and reported with the expected and the actual value", async () => {
  const { word, drifted, reconciler } = fixture();
  reconciler.wake();
  await reconciler.whenIdle();
  expect(drifted).toEqual([]); // What we change ourselves is no drift.
  word.word = "foreign";
  reconciler.wake();
  await reconciler.whenIdle();
  expect(word.word).toBe("one");
  expect(drifted).toMatchObject([{ type: "word", resource: "word", expected: "one", actual: "foreign" }]);
  expect(reconciler.drift()).toEqual(drifted);
});

test("reconciler: differences of one engine in one cycle have the same time", async () => {
  const word = wordEngine();
  const letters = (expected: string) =>
    expected.split("").map((it) => ({ resource: "word", field: it, expected: it, actual: null }));
  let milliseconds = 0;
  const reconciler = createReconciler({
    published: () => ({ revision: 1, desired: { word: "one" } }),
    engines: { word: { ...word, drift: ([expected]: readonly string[]) => letters(expected!) } },
    now: () => new Date(milliseconds++),
    onApplied: () => undefined,
    onDrift: () => undefined,
  });
  reconciler.wake();
  await reconciler.whenIdle();
  word.word = "";
  reconciler.wake();
  await reconciler.whenIdle();
  expect(reconciler.drift()).toHaveLength(3);
  expect(new Set(reconciler.drift().map(({ at }) => at)).size).toBe(1);
});

test("reconciler: a burst of wakes during a cycle causes one more cycle, with the newest revision", async () => {
  const { state, applied, reconciler, word } = fixture();
  reconciler.wake();
  state.revision = 7;
  state.desired = { word: "seven" };
  for (let i = 0; i < 5; i++) reconciler.wake();
  await reconciler.whenIdle();
  expect({ applied: applied.at(-1), said: word.word }).toEqual({ applied: 7, said: "seven" });
  expect(applied.length).toBeLessThanOrEqual(2);
});

test("reconciler: a revision that an engine rejects is not applied", async () => {
  const { state, reconciler } = fixture();
  state.desired = { word: "unsayable" };
  reconciler.wake();
  await reconciler.whenIdle();
  expect(reconciler.appliedRevision()).toBe(0);
  expect(reconciler.outcomes()[0]?.error?.message).toBe("cannot say that");
});

test("reconciler: a failed cycle is repeated", async () => {
  vi.useFakeTimers();
  const { word, state, reconciler } = fixture();
  state.desired = { word: "unsayable" };
  reconciler.wake();
  await reconciler.whenIdle();
  expect(reconciler.outcomes()[0]!.error?.message).toBe("cannot say that");
  state.desired = { word: "good" };
  await reconciler.whenIdle(); // Without waiting for the retry timer.
  expect(word.word).toBe("good");
  state.desired = { word: "unsayable" };
  reconciler.wake();
  await vi.advanceTimersByTimeAsync(1);
  state.desired = { word: "better" };
  await vi.advanceTimersByTimeAsync(1000);
  expect(word.word).toBe("better");
  await reconciler.close();
  vi.useRealTimers();
});

test("reconciler: whenIdle waits for earlier wakes, not for later ones", async () => {
  const { word, state, reconciler } = fixture();
  reconciler.wake();
  state.desired = { word: "two" };
  reconciler.wake(); // While the first cycle runs.
  await reconciler.whenIdle();
  expect(word.word).toBe("two");

  await new Promise(setImmediate); // Until it rests.
  const gate = Promise.withResolvers<void>();
  reconciler.wake();
  const settled = reconciler.whenIdle();
  state.desired = { word: "three" };
  word.apply = async () => gate.promise;
  reconciler.wake();
  await settled;
  expect(word.word).toBe("two");
  gate.resolve();
});

test("reconciler: a compiler error is an outcome, and the cycle is repeated", async () => {
  vi.useFakeTimers();
  let broken = true;
  const reconciler = createReconciler({
    published: async () => {
      if (broken) throw new Error("no observed state");
      return { revision: 7, desired: { word: "one" } };
    },
    engines: { word: wordEngine() },
    now: () => new Date(0),
    onApplied: () => {},
    onDrift: () => {},
  });
  reconciler.wake();
  await reconciler.whenIdle();
  expect(reconciler.failures()).toEqual([{ engine: "compiler", message: "no observed state" }]);
  broken = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(reconciler.appliedRevision()).toBe(7);
  vi.useRealTimers();
});

test("reconciler: an engine that is in force is reported before a later engine fails", async () => {
  const reported: string[] = [];
  const reconciler = createReconciler({
    published: () => ({ revision: 1, desired: { guard: "one", sysctl: "unsayable", never: "one" } }),
    engines: { guard: wordEngine(), sysctl: wordEngine(), never: wordEngine() },
    now: () => new Date("2030-01-01T00:00:00Z"),
    onEngineApplied: (engine) => reported.push(engine),
    onApplied: () => reported.push("all"),
    onDrift: () => {},
  });
  reconciler.wake();
  await reconciler.whenIdle();
  expect(reported).toEqual(["guard"]);
  await reconciler.close();
});
