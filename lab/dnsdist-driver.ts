import { createInterface } from "node:readline";
import { dnsdistEngine } from "../daemon/src/engines/dnsdist/dnsdist.engine.ts";
import type { Frontend } from "../daemon/src/engines/dnsdist/dnsdist.model.ts";
import { supervisor } from "../daemon/src/engines/supervisor/supervisor.ts";
import { linux } from "../daemon/src/system/system.ts";

/*
 * The engine of dnsdist on a host of the lab, where its console listens. Each line is a question, each answer a line. Like the
 * daemon it looks after what ends, and it is made to be killed.
 */

type Question =
  | { readonly kind: "want"; readonly fronts: readonly Frontend[] }
  | { readonly kind: "drift" }
  | { readonly kind: "states" }
  | { readonly kind: "statistics"; readonly front: Frontend }
  | { readonly kind: "cache"; readonly front: Frontend; readonly limit: number; readonly pattern?: string }
  | { readonly kind: "flush"; readonly front: Frontend; readonly pattern?: string };

const folder = process.argv[2]!;
let wanted: readonly Frontend[] = [];
let running: Promise<unknown> = Promise.resolve();

const kept = supervisor({
  system: linux,
  folder: `${folder}/children`,
  nowMs: () => performance.now(),
  // A front that does not answer in time is a difference, which is told when it is asked for. It must not end this process.
  onExit: () => void (running = running.then(settle, settle).catch(() => {})),
});
const engine = dnsdistEngine({
  system: linux,
  supervisor: kept,
  folder: `${folder}/dnsdist`,
  policyFolder: `${folder}/book`,
});

async function settle(): Promise<void> {
  const changes = engine.changes(wanted, await engine.observe());
  if (changes.length > 0) await engine.apply(changes);
}

async function answer(question: Question): Promise<unknown> {
  switch (question.kind) {
    case "want":
      wanted = question.fronts;
      running = running.then(settle, settle);
      await running;
      return null;
    case "drift": {
      const seen = await engine.observe();
      return engine.drift(engine.changes(wanted, seen), seen);
    }
    case "states":
      return engine.states(wanted);
    case "statistics":
      return engine.statistics(question.front);
    case "cache":
      return engine.cache(question.front, question.limit, question.pattern);
    case "flush":
      return engine.flush(question.front, question.pattern);
  }
}

let turn = Promise.resolve();
createInterface({ input: process.stdin }).on("line", (line) => {
  turn = turn.then(async () => {
    const said = await answer(JSON.parse(line) as Question).catch((error: unknown) => ({ error: String(error) }));
    process.stdout.write(`${JSON.stringify(said)}\n`);
  });
});
process.stdout.write("ready\n");
