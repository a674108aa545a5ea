import { createInterface } from "node:readline";
import { dnsdistEngine } from "../daemon/src/engines/dnsdist/dnsdist.engine.ts";
import type { Frontend } from "../daemon/src/engines/dnsdist/dnsdist.model.ts";
import { supervisor } from "../daemon/src/engines/supervisor/supervisor.ts";
import { linux } from "../daemon/src/system/system.ts";

/*
 * The dnsdist engine on a host of the lab, where its console listens. Each line is a request, each answer a line. Like
 * the daemon it restarts processes that end, and tests kill it.
 */

type Request =
  | { readonly kind: "want"; readonly fronts: readonly Frontend[] }
  | { readonly kind: "drift" }
  | { readonly kind: "states" }
  | { readonly kind: "statistics"; readonly front: Frontend }
  | { readonly kind: "cache"; readonly front: Frontend; readonly limit: number; readonly pattern?: string }
  | { readonly kind: "flush"; readonly front: Frontend; readonly pattern?: string };

const folder = process.argv[2]!;
let wanted: readonly Frontend[] = [];
let running: Promise<unknown> = Promise.resolve();

const processes = supervisor({
  system: linux,
  folder: `${folder}/children`,
  nowMs: () => performance.now(),
  // A frontend that does not answer in time is drift, reported on request. It must not end this process.
  onExit: () => void (running = running.then(reconcile, reconcile).catch(() => {})),
});
const engine = dnsdistEngine({
  system: linux,
  supervisor: processes,
  folder: `${folder}/dnsdist`,
  policyFolder: `${folder}/policy`,
});

async function reconcile(): Promise<void> {
  const changes = engine.changes(wanted, await engine.observe());
  if (changes.length > 0) await engine.apply(changes);
}

async function answer(request: Request): Promise<unknown> {
  switch (request.kind) {
    case "want":
      wanted = request.fronts;
      running = running.then(reconcile, reconcile);
      await running;
      return null;
    case "drift": {
      const seen = await engine.observe();
      return engine.drift(engine.changes(wanted, seen), seen);
    }
    case "states":
      return engine.states(wanted);
    case "statistics":
      return engine.statistics(request.front);
    case "cache":
      return engine.cache(request.front, request.limit, request.pattern);
    case "flush":
      return engine.flush(request.front, request.pattern);
  }
}

let turn = Promise.resolve();
createInterface({ input: process.stdin }).on("line", (line) => {
  turn = turn.then(async () => {
    const response = await answer(JSON.parse(line) as Request).catch((error: unknown) => ({ error: String(error) }));
    process.stdout.write(`${JSON.stringify(response)}\n`);
  });
});
process.stdout.write("ready\n");
