import { expect, test } from "vitest";
import { inParallel, serial, serialByKey, singleFlight, untilReady } from "./async.ts";

/** Records when each task begins and ends. */
function recorder() {
  const log: string[] = [];
  const task =
    (name: string, fails = false) =>
    async (): Promise<string> => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  return { log, task };
}

test("serial: tasks do not overlap, and continue after a failure that its caller receives", async () => {
  const { log, task } = recorder();
  const run = serial();
  const done = await Promise.allSettled([run(task("one")), run(task("two", true)), run(task("three"))]);
  expect(log).toEqual(["one", "two", "three"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect(done.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("serialByKey: tasks of one key do not overlap, tasks of different keys do", async () => {
  const { log, task } = recorder();
  const run = serialByKey();
  const all = [run("a", task("a1", true)), run("a", task("a2")), run("b", task("b1"))];
  const done = await Promise.allSettled(all);
  expect(done.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(log.indexOf("a2 begins")).toBeGreaterThan(log.indexOf("a1 ends"));
  expect(log.indexOf("b1 begins")).toBeLessThan(log.indexOf("a1 ends"));
});

test("singleFlight: requests before a run share it, and requests during a run get the next one", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let runs = 0;
  const request = singleFlight(() => {
    started[runs]!.resolve();
    return gates[runs++]!.promise;
  });
  const before = [request(), request()];
  await started[0]!.promise;
  const during = [request(), request()];
  gates[0]!.resolve();
  await Promise.all(before);
  await started[1]!.promise;
  expect(runs).toBe(2);
  gates[1]!.resolve();
  await Promise.all(during);
  expect(runs).toBe(2);
});

test("untilReady: resolves to the first result, and to undefined when the time is over", async () => {
  let checks = 0;
  expect(await untilReady(() => (++checks === 3 ? "ready" : undefined), { limitMs: 10_000, everyMs: 1 })).toBe("ready");
  expect(checks).toBe(3);
  expect(await untilReady(async () => undefined, { limitMs: 5, everyMs: 1 })).toBeUndefined();
});

test("inParallel: runs every task, and never more than the limit at a time", async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  const task = (number: number) => async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running -= 1;
    done.push(number);
  };
  await inParallel(
    3,
    Array.from({ length: 10 }, (_, index) => task(index)),
  );
  expect([most, done.length]).toEqual([3, 10]);
});
