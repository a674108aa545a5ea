import { type Api, operations } from "@portcullis/contract/endpoint";
import { eventPayloads } from "@portcullis/contract/events";
import { type Source, visit } from "./source.ts";

/** Subjects whose reasons are sentences only. An entry whose fields all have a code is an error: remove it. */
export const pendingSubjects: readonly string[] = ["event dns.list_failed"];

/** Subjects whose reason is a text that the operator wrote. */
export const operatorsTexts: readonly string[] = ["exceptions"];

interface Schema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The subjects of the API and the events that report a reason as a sentence without its code. */
export const uncodedSubjects = (api: Api): readonly string[] => [
  ...new Set([
    ...operations(api)
      .filter(({ endpoint }) => isUncoded(endpoint.result as Schema))
      .map(({ subsystem }) => subsystem),
    ...Object.entries(eventPayloads)
      .filter(([, payload]) => isUncoded(payload as Schema))
      .map(([name]) => `event ${name}`),
  ]),
];

export function isUncoded({ properties = {}, items, anyOf = [] }: Schema): boolean {
  const { reason, coded_reason } = properties;
  if (reason?.type === "string" && reason.enum === undefined && coded_reason === undefined) return true;
  return [...Object.values(properties), ...(items ? [items] : []), ...anyOf].some(isUncoded);
}

/** The sentence and the code are written in one place only, `explained`: elsewhere they could contradict each other. */
export const codesBesideExplained = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ file, text }) => file.startsWith("daemon/src/") && text.includes("coded_reason"))
    .filter((source) => propertiesOf(source).includes("coded_reason"))
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
