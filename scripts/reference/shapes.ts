import { descriptionOf, type JsonSchema, typeOf } from "../../cli/src/fields.ts";
import { anchor, code, link, table } from "./markdown.ts";

/** The fields of a request. */
export const inputTable = (schema: JsonSchema): string | undefined =>
  table(
    ["Field", "Type", "Required", "Meaning"],
    rowsOf(schema).map(({ path, type, required, meaning }) => [path, type, required ? "yes" : "", meaning]),
  );

/** The fields of a response. They are always present unless marked otherwise. */
export const answerTable = (schema: JsonSchema): string | undefined =>
  table(
    ["Field", "Type", "Meaning"],
    rowsOf(schema).map(({ path, type, required, meaning }) => [
      path,
      type,
      sentence(meaning, required ? "" : "may be absent"),
    ]),
  );

interface Row {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly meaning: string;
}

/** Fields of anonymous nested objects are shown with their path. */
const rowsOf = ({ properties = {}, required = [] }: JsonSchema, within = ""): Row[] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${within}${name}`;
    const { inner, suffix } = namelessIn(schema);
    const defaultText = schema.default === undefined ? "" : `${code(JSON.stringify(schema.default))} when absent`;
    return [
      {
        path: code(path),
        type: linkedType(schema),
        required: required.includes(name),
        meaning: sentence(descriptionOf(schema), defaultText),
      },
      ...(inner ? rowsOf(inner, `${path}${suffix}.`) : []),
    ];
  });

/** An object without a name that is a field, or the member of one. */
function namelessIn(schema: JsonSchema): { readonly inner: JsonSchema | undefined; readonly suffix: string } {
  if (schema.items) return { inner: namelessIn(schema.items).inner, suffix: "[]" };
  return { inner: schema.properties && schema.title === undefined ? schema : undefined, suffix: "" };
}

const sentence = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join("; ");

/** A type in words; names of shapes link to their section of the page. */
export const linkedType = (schema: JsonSchema): string =>
  directShapes(schema).reduce(
    (text, { title = "" }) => text.replace(title, link(title, anchor(title))),
    typeOf(schema),
  );

/** Every object with a name that a schema is made of, itself included, by name. */
export function shapesIn(schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  function visit(part: JsonSchema): void {
    if (part.title !== undefined && part.properties) found.set(part.title, part);
    for (const inner of partsOf(part)) visit(inner);
  }
  visit(schema);
  return found;
}

const directShapes = (schema: JsonSchema): JsonSchema[] =>
  schema.properties
    ? schema.title === undefined
      ? []
      : [schema]
    : [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])].flatMap(directShapes);

const partsOf = ({ anyOf = [], items, properties = {}, patternProperties = {} }: JsonSchema): JsonSchema[] => [
  ...anyOf,
  ...(items ? [items] : []),
  ...Object.values(properties),
  ...Object.values(patternProperties),
];
