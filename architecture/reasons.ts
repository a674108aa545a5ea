import { type Api, operations } from "@portcullis/contract/endpoint";
import { eventPayloads } from "@portcullis/contract/events";
import { type Source, visit } from "./source.ts";

/** Fields of results and events whose name says that they explain something. */
const sentenceNames: ReadonlySet<string> = new Set([
  "actual",
  "blockers",
  "decision",
  "detail",
  "details",
  "error",
  "errors",
  "evidence",
  "expected",
  "explanation",
  "found",
  "hint",
  "last_error",
  "message",
  "messages",
  "not_enforced",
  "note",
  "notes",
  "now",
  "problem",
  "problems",
  "reason",
  "reasons",
  "refusal",
  "trace",
  "warning",
  "warnings",
  "what",
  "why",
]);

/** A description that says so, whatever the name. */
const describesSentence = /\bsentences?\b|^(?:why|the reason|reason of)\b/i;

/** Texts that the operator wrote. */
const operatorsTexts = [
  "exceptions reason",
  "pauses reason",
  "devices notes",
  "discovery notes",
  "dnsAllowlist note",
  "dnsBlocklist note",
  "dnsFilterRules note",
  "routing note",
  "schedules note",
  "snapshots note",
  "changes note",
  "configuration note",
];

/** What a program or the kernel printed: the language is theirs. */
const programsTexts = ["enforcement message"];

/** Values that only look like a sentence by their name. */
const noSentences = [
  // The kind of the outcome, followed by the reason that is beside it with its code.
  "policyViews now",
];

/** `<subject> <field>` of each text that needs no code. An entry that matches nothing, or that has a code, is an error: remove it. */
export const uncodedTexts: readonly string[] = [...operatorsTexts, ...programsTexts, ...noSentences];

interface Schema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The sentences of the API and of the events that have no code beside them: `<subject> <field>`, or `event <name> <field>`. */
export const uncodedSentences = (api: Api): readonly string[] => [
  ...new Set([
    ...operations(api).flatMap(({ subsystem, endpoint }) =>
      uncodedIn(endpoint.result as Schema).map((field) => `${subsystem} ${field}`),
    ),
    ...Object.entries(eventPayloads).flatMap(([name, payload]) =>
      uncodedIn(payload as Schema).map((field) => `event ${name} ${field}`),
    ),
  ]),
];

/** The names of the fields at any depth that are a sentence, or a list of sentences, without a code. */
export function uncodedIn({ properties = {}, items, anyOf = [] }: Schema): string[] {
  const own = Object.entries(properties)
    .filter(([name, schema]) => isSentence(name, schema) && properties[`coded_${name}`] === undefined)
    .map(([name]) => name);
  return [...own, ...[...Object.values(properties), ...(items ? [items] : []), ...anyOf].flatMap(uncodedIn)];
}

function isSentence(name: string, schema: Schema): boolean {
  const texts = textsIn(schema);
  return texts.length > 0 && (sentenceNames.has(name) || texts.some((it) => describesSentence.test(it)));
}

/** The descriptions of a text, or of a list of texts, that may be null. A word of a list is no sentence. */
function textsIn({ type, enum: words, description = "", items, anyOf = [] }: Schema): string[] {
  if (type === "string") return words === undefined ? [description] : [];
  if (items && items.type === "string" && items.enum === undefined) return [description];
  return anyOf.flatMap(textsIn);
}

/** A sentence and its code are written by the functions of `contract/src/reason.ts` only: elsewhere they could contradict each other. */
export const codesBesideExplained = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ file, text }) => file.startsWith("daemon/src/") && text.includes("coded_"))
    .filter((source) => propertiesOf(source).some((name) => name.startsWith("coded_")))
    .map(({ file }) => file);

function propertiesOf(source: Source): string[] {
  const names: string[] = [];
  visit(source, {
    ObjectExpression: ({ properties }) => {
      for (const it of properties) if (it.type === "Property" && it.key.type === "Identifier") names.push(it.key.name);
    },
  });
  return names;
}
