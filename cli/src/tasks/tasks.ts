import { block, unblock } from "./domains.ts";
import { importTunnel } from "./import-tunnel.ts";
import { pause, resume } from "./pause.ts";
import { protect } from "./protect.ts";
import type { Task } from "./task.ts";
import { why } from "./why.ts";

/** Every task, in the order of the help. */
export const tasks: readonly Task[] = [protect, why, pause, resume, block, unblock, importTunnel];

/** The task that a command line calls. */
export const taskOf = (words: readonly string[]): Task | undefined =>
  tasks.find(
    (task) =>
      task.words.every((word, index) => words[index] === word) &&
      (task.claims === undefined || task.claims(words.slice(task.words.length))),
  );

/** The tasks whose first word this is. */
export const tasksOf = (word: string): Task[] => tasks.filter(({ words: [first] }) => first === word);
