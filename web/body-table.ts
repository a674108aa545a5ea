import { api } from "@portcullis/contract/api";
import type { Api, Endpoint } from "@portcullis/contract/endpoint";
import { formNameOf } from "@portcullis/contract/forms";
import { notSupportedKey } from "@portcullis/contract/values";
import type { Rule, Rules, Unit } from "./src/api/rules.ts";

/**
 * Of each request body, what a form needs: the kind, the bounds and the values of its fields. An update has the fields of the
 * create of the same subsystem and is left out; so is a configuration document, which is entered as text.
 */
export const bodyTable = (): Record<string, Record<string, Rules>> =>
  Object.fromEntries(
    Object.entries(api satisfies Api as Api).flatMap(([subsystem, endpoints]) => {
      const bodies = Object.entries(endpoints)
        .filter(([name]) => name !== "update" || !("create" in endpoints))
        .filter(([, { yaml }]) => yaml !== true)
        .map(([name, { body }]) => [name, rulesOf(body as Schema | undefined)] as const)
        .filter(([, rules]) => Object.keys(rules).length > 0);
      return bodies.length === 0 ? [] : [[subsystem, Object.fromEntries(bodies)]];
    }),
  );

interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly (string | null)[];
  readonly const?: string;
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly "x-secret"?: boolean;
  readonly "x-refers-to"?: string;
  readonly [notSupportedKey]?: unknown;
}

/** Fields that no kind of input fits, such as an object, are left out. So are those that have no effect yet. */
function rulesOf(body: Schema | undefined): Rules {
  const { properties = {}, required = [] } = body ?? {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([field, schema]) => {
      const rule = schema[notSupportedKey] === undefined ? ruleOf(field, schema) : undefined;
      return rule ? [[field, { ...rule, ...(required.includes(field) && { required: true as const }) }]] : [];
    }),
  );
}

function ruleOf(field: string, schema: Schema): Rule | undefined {
  if (schema.anyOf) return unionRule(variantsOf(schema));
  const types = [schema.type ?? []].flat();
  const nullable = types.includes("null") && { nullable: true as const };
  const initial = schema.default !== undefined && { initial: schema.default };
  switch (types.filter((it) => it !== "null").join()) {
    case "boolean":
      return nullable ? undefined : { kind: "switch", ...initial };
    case "integer":
    case "number": {
      const isWhole = types.includes("integer") && { whole: true as const };
      return {
        kind: "number",
        ...nullable,
        ...initial,
        ...bounds(schema.minimum, schema.maximum),
        ...isWhole,
        ...unitOf(field),
      };
    }
    case "string":
      return { ...textRule(schema), ...nullable, ...initial };
    case "array":
      return schema.items && listRule(schema.items, bounds(schema.minItems, schema.maxItems));
    default:
      return undefined;
  }
}

const variantsOf = (schema: Schema): readonly Schema[] => schema.anyOf?.flatMap(variantsOf) ?? [schema];

/** Texts of several forms, such as an address or a word, are one text. */
function unionRule(variants: readonly Schema[]): Rule | undefined {
  const texts = variants.filter(({ type }) => type !== "null");
  if (texts.length === 0 || texts.some(({ type }) => type !== "string")) return undefined;
  const forms = texts.map(({ const: word, pattern, format }) =>
    word === undefined ? (pattern ?? addressCharacters[format ?? ""]) : `^${word}$`,
  );
  const form = texts.map(({ pattern, format }) => formNameOf({ pattern, format })).find((it) => it !== undefined);
  return {
    kind: "text",
    ...(texts.length < variants.length && { nullable: true }),
    ...(forms.every((it) => it !== undefined) && { pattern: forms.join("|") }),
    ...(form !== undefined && { form }),
  };
}

function textRule(schema: Schema): Rule {
  const { enum: values, pattern, format, "x-secret": isSecret, "x-refers-to": resource } = schema;
  if (values) return { kind: "choice", values: values.filter((it) => it !== null) };
  if (resource !== undefined) return { kind: "reference", of: subsystemOf(resource) };
  if (format === "date-time") return { kind: "time" };
  const checked = pattern ?? addressCharacters[format ?? ""];
  const form = formNameOf({ pattern, format });
  return {
    kind: isSecret ? "secret" : "text",
    ...bounds(schema.minLength, schema.maxLength),
    ...(checked !== undefined && { pattern: checked }),
    ...(form !== undefined && { form }),
  };
}

function listRule(items: Schema, size: Pick<Rule, "min" | "max">): Rule | undefined {
  if (items.type === "object") return { kind: "rows", ...size, fields: rulesOf(items) };
  const item = ruleOf("", items);
  if (item?.kind === "reference") return { kind: "references", ...size, of: item.of! };
  if (item?.kind === "choice") return { kind: "choices", ...size, values: item.values! };
  return item?.kind === "text" ? { kind: "list", ...size, item } : undefined;
}

/** The gateway checks an address completely. */
const addressCharacters: Readonly<Record<string, string>> = { ip: "^[0-9A-Fa-f:.]+$", ipv4: "^[0-9.]+$" };

const bounds = (min: number | undefined, max: number | undefined): Pick<Rule, "min" | "max"> => ({
  ...(min !== undefined && { min }),
  ...(max !== undefined && { max }),
});

/** The unit is the end of the name. */
const units: readonly Unit[] = ["ms", "sec", "min", "hours", "days"];
function unitOf(field: string): Pick<Rule, "unit"> | undefined {
  const unit = units.find((it) => field.endsWith(`_${it}`));
  return unit && { unit };
}

/** The subsystem that lists the resources of a kind: that whose create has the kind as its noun in the audit log. */
function subsystemOf(kind: string): NonNullable<Rule["of"]> {
  const creates = ([, { create }]: [string, Readonly<Record<string, Endpoint>>]) => create?.audit?.noun === kind;
  const found = Object.entries(api satisfies Api as Api).find(creates);
  if (!found) throw new Error(`No subsystem creates a ${kind}`);
  return found[0] as NonNullable<Rule["of"]>;
}
