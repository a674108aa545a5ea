import { type Api, type Endpoint, operations, pathFields } from "@portcullis/contract/endpoint";
import type { JsonSchema } from "./fields.ts";

/** One command: its words, its arguments, and a JSON body if it takes one. */
export interface Command {
  readonly words: readonly string[];
  readonly args: readonly string[];
  /** The argument that takes all remaining words. */
  readonly rest?: string;
  readonly json: "never" | "optional" | "required";
  readonly endpoint: Endpoint;
}

/** Every command of the contract, the kinds in alphabetical order. */
export const commandsOf = (api: Api): Command[] =>
  operations(api)
    .flatMap(({ endpoint }) => (endpoint.cli ? [toCommand(endpoint, endpoint.cli)] : []))
    .toSorted((a, b) => (kindOf(a) < kindOf(b) ? -1 : kindOf(a) > kindOf(b) ? 1 : 0));

function toCommand(endpoint: Endpoint, { words, args = [], rest }: NonNullable<Endpoint["cli"]>): Command {
  const inPath = pathFields(endpoint.path);
  const bodyIsTyped = rest !== undefined || args.some((arg) => !inPath.includes(arg));
  const json =
    endpoint.body === undefined || bodyIsTyped ? "never" : endpoint.bodyOptional === true ? "optional" : "required";
  return { words, args, json, endpoint, ...(rest !== undefined && { rest }) };
}

const kindOf = ({ words }: Command): string => words[0]!;

export const verbOf = ({ words }: Command): string | undefined => words[1];

export const kindsOf = (commands: readonly Command[]): string[] => [...new Set(commands.map(kindOf))];

export const verbsOf = (commands: readonly Command[], kind: string): string[] =>
  commandsOfKind(commands, kind).flatMap((command) => verbOf(command) ?? []);

export const commandsOfKind = (commands: readonly Command[], kind: string): Command[] =>
  commands.filter((command) => kindOf(command) === kind);

/** The command of a kind without a verb. */
export const defaultOf = (commands: readonly Command[], kind: string): Command | undefined =>
  commandsOfKind(commands, kind).find((command) => [undefined, "list"].includes(verbOf(command)));

/** One line about a kind. */
export const summaryOf = (commands: readonly Command[], kind: string): string =>
  (defaultOf(commands, kind) ?? commandsOfKind(commands, kind)[0])?.endpoint.summary ?? "";

/** Whether an argument is optional: it is a field that the body need not have, or belongs to an optional body. */
export function isOptional({ endpoint }: Command, arg: string): boolean {
  if (pathFields(endpoint.path).includes(arg)) return false;
  const { properties = {}, required = [] } = (endpoint.body ?? {}) as JsonSchema;
  return endpoint.bodyOptional === true || (arg in properties && !required.includes(arg));
}

/** `portcullis devices update <id> <json|options>`: the usage of a command. */
export function usage(command: Command): string {
  const { words, args, rest, json, endpoint } = command;
  const [kind, verb] = words;
  const shown = verb === "list" ? [kind, "[list]"] : words;
  const several = rest === undefined ? [] : [`<${rest.replace(/s$/, "")}>...`];
  const required = endpoint.yaml ? "<file>" : "<json|options>";
  const body = { never: [], optional: ["[json|options]"], required: [required] }[json];
  const others = [endpoint.query, json === "never" ? endpoint.body : undefined].flatMap((schema) =>
    Object.keys((schema as JsonSchema | undefined)?.properties ?? {}).filter((it) => !args.includes(it) && it !== rest),
  );
  return [
    "portcullis",
    ...shown,
    ...args.map((arg) => (isOptional(command, arg) ? `[${arg}]` : `<${arg}>`)),
    ...several,
    ...body,
    ...(others.length > 0 && body.length === 0 ? ["[options]"] : []),
  ].join(" ");
}
