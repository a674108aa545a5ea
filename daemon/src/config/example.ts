import { stringify } from "yaml";
import { type Key, keys, type KeySchema, sections } from "./keys.ts";

/** The example bootstrap file: every key with its description, commented out at its default. */
export function exampleBootstrap(): string {
  return `${[heading, ...Object.entries(sections).map(([name, schema]) => exampleSection(name, schema))].join("\n\n")}\n`;
}

const heading = `# Bootstrap configuration of Portcullis. It is read once, at start: a change needs a restart.
# Settings that change from day to day are changed through the API.
# Lines such as "#level: info" show defaults; remove the # to change one. Lines without # differ from the default.
# Relative paths are relative to the folder of this file.`;

function exampleSection(section: string, { description }: KeySchema): string {
  const lines = keys.filter((key) => key.section === section).flatMap(exampleKey);
  return [`# ${description}.`, `${section}:`, ...lines.map((line) => `  ${line}`)].join("\n");
}

/** Values of the packaged file that differ from the defaults: every request needs a credential. */
export const packagedValues: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["auth.enabled", true],
  ["auth.local_net", ""],
]);

function exampleKey({ dotted, name, schema }: Key): string[] {
  const byDefault = inline(schema.default ?? schema.examples?.[0]);
  const words = remarks(schema).map((remark) => `# ${remark}`);
  if (!packagedValues.has(dotted)) return [...words, `#${name}: ${byDefault}`];
  return [...words, `# Without this line: ${byDefault}`, `${name}: ${inline(packagedValues.get(dotted))}`];
}

function remarks({ description, enum: words, minimum, maximum, examples, default: byDefault }: KeySchema): string[] {
  if (words) return [`${description}: ${words.join(", ")}.`];
  if (minimum !== undefined) return [`${description}, ${minimum} to ${maximum}.`];
  if (byDefault === undefined) return [`${description}. Not set by default.`];
  return [`${description}.`, ...(examples ? [`Such as ${inline(examples[0])}`] : [])];
}

const inline = (value: unknown): string =>
  stringify(value, { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0 }).trim();
