import type { GatewayApi } from "@portcullis/contract/api";
import type { Client } from "@portcullis/contract/client";
import { nearest } from "@portcullis/contract/nearest";
import { Misuse } from "../failure.ts";
import type { Rich } from "../screen/rich.ts";
import type { Reading } from "../screen/values.ts";

/** A command for a task of the operator, which may need several requests. */
export interface Task {
  readonly words: readonly [string, ...string[]];
  /** Its arguments, such as `<device> --via <tunnel>...`. */
  readonly synopsis: string;
  readonly summary: string;
  readonly description: string;
  readonly options: readonly TaskOption[];
  readonly examples: readonly string[];
  /** Whether the words after the command belong to the task, if a kind has the same first word. */
  readonly claims?: (words: readonly string[]) => boolean;
  readonly run: (given: Given, world: TaskWorld) => Promise<TaskResult>;
}

export interface TaskOption {
  readonly name: `--${string}`;
  /** Its value; absent: it is a switch. */
  readonly value?: string;
  readonly meaning: string;
  readonly repeats?: true;
}

/** What was typed. */
export interface Given {
  readonly words: readonly string[];
  /** The values of an option, in order; of a switch an empty text. */
  readonly option: (name: TaskOption["name"]) => readonly string[];
  readonly has: (name: TaskOption["name"]) => boolean;
  /** The usage line, for error messages. */
  readonly usage: string;
}

export interface TaskWorld {
  readonly client: Client<GatewayApi>;
  readonly now: () => Date;
  readonly readFile: (path: string) => Promise<Uint8Array>;
}

/** What a program reads, and what a person reads. */
export interface TaskResult {
  readonly value: unknown;
  readonly lines: (reading: Reading) => readonly Rich[];
}

export const taskUsage = ({ words, synopsis }: Task): string =>
  `portcullis ${[...words, synopsis].join(" ")}`.trimEnd();

/** Options that every task has. */
export const jsonOption: TaskOption = { name: "--json", meaning: "Print JSON instead of sentences" };

/** The words after the command → arguments and options. */
export function parseTask(task: Task, typed: readonly string[]): { readonly given: Given; readonly json: boolean } {
  const usage = taskUsage(task);
  const known = [...task.options, jsonOption];
  const values = new Map<string, string[]>();
  const words: string[] = [];
  for (let at = 0; at < typed.length; at++) {
    const word = typed[at]!;
    if (word === "--") {
      words.push(...typed.slice(at + 1));
      break;
    }
    const [, name, assigned] = /^(--[A-Za-z][^=\s]*)(?:=(.*))?$/su.exec(word) ?? [];
    if (name === undefined) {
      words.push(word);
      continue;
    }
    const option = known.find((it) => it.name === name);
    if (option === undefined) throw unknownOption(name, known, usage);
    if (option.value === undefined && assigned !== undefined) throw new Misuse(`${name} takes no value`, usage);
    const value = option.value === undefined ? "" : (assigned ?? typed[++at]);
    if (value === undefined) throw new Misuse(`${name} has no value`, usage);
    const before = values.get(name) ?? [];
    if (before.length > 0 && option.repeats !== true) throw new Misuse(`${name} is given twice`, usage);
    values.set(name, [...before, value]);
  }
  const option: Given["option"] = (name) => values.get(name) ?? [];
  return { given: { words, option, has: (name) => values.has(name), usage }, json: values.has(jsonOption.name) };
}

function unknownOption(name: string, known: readonly TaskOption[], usage: string): Misuse {
  const all = known.map((it) => it.name);
  const meant = nearest(name, all);
  const message = `${name} is not an option of this command`;
  return meant === undefined
    ? new Misuse(message, `Options: ${all.join(", ")}`)
    : new Misuse(`${message}; did you mean ${meant}?`, usage);
}

/** The arguments of a task, by number: the least and the most that it takes. */
export function argumentsOf({ words, usage }: Given, names: readonly string[], optional = 0): readonly string[] {
  const missing = names[words.length];
  if (words.length < names.length - optional) throw new Misuse(`<${missing}> is missing`, usage);
  if (words.length > names.length)
    throw new Misuse(`Unexpected argument ${JSON.stringify(words[names.length])}`, usage);
  return words;
}
