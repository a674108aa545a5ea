import { createInterface } from "node:readline";
import { keeper } from "../daemon/src/engines/keeper/keeper.ts";
import type { Child } from "../daemon/src/engines/keeper/keeper.model.ts";
import { linux } from "../daemon/src/system/system.ts";

/*
 * The engines that carry packets, driven by as little as possible: what is wanted arrives line by line, and whatever ends
 * is seen to at once. The gateway's own daemon does the same with much around it; this one is made to be killed.
 */

interface Wanted {
  readonly children: readonly Child[];
}

const folder = process.argv[2]!;
let wanted: Wanted = { children: [] };
let isAsked = false;
let running = Promise.resolve();

const kept = keeper({ system: linux, folder: `${folder}/children`, nowMs: Date.now, onEnd: wake });

function wake(): void {
  if (isAsked) return;
  isAsked = true;
  running = running.then(async () => {
    isAsked = false;
    await kept.apply(kept.changes(wanted.children, kept.observe("lab")));
  });
}

const answers: Record<string, (argument: string) => unknown> = {
  want: async (argument) => {
    wanted = { ...wanted, ...(JSON.parse(argument) as Partial<Wanted>) };
    wake();
    await running;
  },
  children: () => kept.observe("lab"),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const [, verb = "", argument = ""] = /^(\S+) ?(.*)$/.exec(line) ?? [];
  void Promise.resolve(answers[verb]!(argument)).then((answer) => console.log(JSON.stringify(answer ?? null)));
});
console.log("ready");
