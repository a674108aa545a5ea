import { setTimeout as pause } from "node:timers/promises";

/** Runs a task after all earlier ones. */
export type Serial = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs tasks in the order of the calls, one at a time. A failure goes to the caller of its task; the next task runs all the same. */
export function serial(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const done = last.then(task);
    last = done.catch(() => {}); // The caller gets the error.
    return done;
  };
}

/** The same for each key: tasks with different keys run at the same time. A key without tasks takes no memory. */
export function serialByKey(): <T>(key: string, task: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { readonly run: Serial; waiting: number }>();
  return async (key, task) => {
    const queue = queues.get(key) ?? { run: serial(), waiting: 0 };
    queues.set(key, queue);
    queue.waiting += 1;
    try {
      return await queue.run(task);
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(key);
    }
  };
}

/**
 * Runs a task once for all requests that arrive before it starts, and once more for those that arrive while it runs: what a
 * request refers to is always read after the request. The task reports its own failures.
 */
export function singleFlight(task: () => Promise<void>): () => Promise<void> {
  const inTurn = serial();
  let next: Promise<void> | undefined;
  return () =>
    (next ??= inTurn(() => {
      next = undefined;
      return task();
    }));
}

/** Runs tasks in their order, at most `limit` at a time. A failure is passed on at once; tasks that run are not stopped. */
export async function inParallel(limit: number, tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const remaining = tasks.values();
  const worker = async (): Promise<void> => {
    for (const task of remaining) await task();
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

interface Limits {
  readonly limitMs: number;
  readonly everyMs: number;
}

/** Checks repeatedly until the check returns something, and resolves to that; to undefined when the time is over. */
export async function untilReady<T>(
  check: () => T | undefined | Promise<T | undefined>,
  { limitMs, everyMs }: Limits,
): Promise<T | undefined> {
  for (const untilMs = performance.now() + limitMs; ; await pause(everyMs)) {
    const found = await check();
    if (found !== undefined || performance.now() >= untilMs) return found;
  }
}
