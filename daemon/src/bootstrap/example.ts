import { stringify } from "yaml";
import { keys, type KeySchema, sections } from "./keys.ts";

/** The bootstrap file with every key explained and commented out at its default. */
export function exampleBootstrap(): string {
  return `${[heading, ...Object.entries(sections).map(([name, schema]) => exampleSection(name, schema))].join("\n\n")}\n`;
}

const heading = `# Bootstrap configuration of Portcullis. It is read once, at start: a change needs a restart.
# What changes from day to day is asked of the API instead.
# Lines such as "#level: info" show defaults; remove the # to change one.
# Relative paths count from the folder of this file.`;

function exampleSection(section: string, { description }: KeySchema): string {
  const lines = keys.filter((key) => key.section === section).flatMap(({ name, schema }) => exampleKey(name, schema));
  return [`# ${description}.`, `${section}:`, ...lines.map((line) => `  #${line}`)].join("\n");
}

function exampleKey(name: string, schema: KeySchema): string[] {
  const value = schema.default ?? schema.examples?.[0];
  return [...remarks(schema).map((remark) => ` ${remark}`), `${name}: ${inline(value)}`];
}

function remarks({ description, enum: words, minimum, maximum, examples, default: byDefault }: KeySchema): string[] {
  if (words) return [`${description}: ${words.join(", ")}.`];
  if (minimum !== undefined) return [`${description}, ${minimum} to ${maximum}.`];
  if (byDefault === undefined) return [`${description}. Not set by default.`];
  return [`${description}.`, ...(examples ? [`Such as ${inline(examples[0])}`] : [])];
}

const inline = (value: unknown): string =>
  stringify(value, { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0 }).trim();
