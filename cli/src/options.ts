import type { Endpoint } from "@portcullis/contract/endpoint";
import { nearest } from "@portcullis/contract/nearest";
import type { Command } from "./commands.ts";
import { Misuse } from "./failure.ts";
import { type Field, fieldsOf, type JsonSchema } from "./fields.ts";

/** The options of a command: the fields of its query, without the cursor, which the client handles, and fields of its body. */
export const optionsOf = ({ endpoint, args }: Command): Field[] => [
  ...(endpoint.query === undefined
    ? []
    : fieldsOf(endpoint.query).filter(({ name }) => name !== "cursor" && !args.includes(name))),
  ...bodyOptions(endpoint),
];

function bodyOptions({ body, cli }: Endpoint): Field[] {
  const fields = fieldsOf((body ?? {}) as JsonSchema);
  return Object.entries(cli?.options ?? {}).map(([name, field]) => ({
    ...fields.find((it) => it.name === field)!,
    name,
  }));
}

/** `--confirm-within`: options have dashes where fields have underscores. */
export const optionName = (field: string): string => `--${field.replaceAll("_", "-")}`;

interface Typed {
  /** The words that are not options. */
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string>>;
}

/** Extracts `--name value` and `--name=value` from the words. Words after `--` are not interpreted. */
export function takeOptions(words: readonly string[], command: Command, usage: string): Typed {
  const known = optionsOf(command).map(({ name }) => name);
  const rest: string[] = [];
  const options: Record<string, string> = {};
  const left = words.values();
  for (const word of left) {
    if (word === "--") {
      rest.push(...left);
      break;
    }
    const [, name, assigned] = /^--([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) {
      rest.push(word);
      continue;
    }
    const field = name.replaceAll("-", "_");
    if (!known.includes(field)) throw unknownOption(name, known, usage);
    const value = assigned ?? left.next().value;
    if (value === undefined) throw new Misuse(`--${name} has no value`, usage);
    if (field in options) throw new Misuse(`--${name} is given twice`, usage);
    options[field] = value;
  }
  const missing = bodyOptions(command.endpoint).find(({ name, required }) => required && !(name in options));
  if (missing) throw new Misuse(`${optionName(missing.name)} is missing`, usage);
  return { words: rest, options };
}

function unknownOption(name: string, known: readonly string[], usage: string): Misuse {
  const all = known.map(optionName);
  const meant = nearest(`--${name}`, all);
  const message = `--${name} is not an option of this command`;
  if (meant !== undefined) return new Misuse(`${message}; did you mean ${meant}?`, usage);
  return new Misuse(message, all.length > 0 ? `Options: ${all.join(", ")}` : "It has no options");
}
