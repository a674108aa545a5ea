import { constants, setPriority } from "node:os";
import { parentPort, Worker, workerData } from "node:worker_threads";

/**
 * Runs long work in a worker thread: the script gets the task and answers once.
 * Task and answer are copied, not shared.
 */
export const runInWorker = <Task, Answer>(
  script: URL,
  task: Task,
  { limitMs, heapMb, signal }: { readonly limitMs: number; readonly heapMb: number; readonly signal: AbortSignal },
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(script, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
    const end = (): void => void worker.terminate();
    const limit = setTimeout(() => {
      reject(new Error(`It was not done within ${Math.round(limitMs / 1000)} s`));
      end();
    }, limitMs);
    signal.addEventListener("abort", end, { once: true });
    worker.once("message", (outcome: Outcome<Answer>) =>
      outcome.kind === "done" ? resolve(outcome.answer) : reject(new Error(outcome.message)),
    );
    worker.once("error", reject);
    worker.once("exit", () => {
      clearTimeout(limit);
      signal.removeEventListener("abort", end);
      reject(new Error("It ended without an answer"));
    });
  });

type Outcome<Answer> =
  | { readonly kind: "done"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly message: string };

/** For the script in the worker, which calls it once. */
export async function serveWorkerTask<Task, Answer>(work: (task: Task) => Promise<Answer>): Promise<void> {
  // Of this thread alone: the threads that answer clients have priority.
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // The unit's system call filter refuses it. The work continues at normal priority.
  }
  const outcome = await work(workerData as Task).then(
    (answer): Outcome<Answer> => ({ kind: "done", answer }),
    (error: unknown): Outcome<Answer> => ({
      kind: "failed",
      message: error instanceof Error ? error.message : String(error),
    }),
  );
  parentPort?.postMessage(outcome);
}
