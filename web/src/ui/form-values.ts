import type { Rule, Unit } from "../api/rules.ts";
import type { Messages } from "../i18n/en/en.ts";

/** What an input has: text for most kinds, a list of texts for lists and references. */
export type Typed = string | boolean | readonly string[];
export type Value = string | number | boolean | readonly string[] | null;

/** A rule whose number is shown in a longer unit: 12 hours for 43200 seconds. */
export interface FieldRule extends Rule {
  readonly factor?: number;
}

export function shownIn(rule: FieldRule, unit: Unit): FieldRule {
  const factor = perUnit[unit] / perUnit[rule.unit ?? unit];
  return {
    ...rule,
    unit,
    factor,
    ...(rule.min !== undefined && { min: Math.ceil(rule.min / factor) }),
    ...(rule.max !== undefined && { max: Math.floor(rule.max / factor) }),
  };
}

const perUnit: Readonly<Record<Unit, number>> = { ms: 1, sec: 1000, min: 60_000, hours: 3_600_000, days: 86_400_000 };

/** Without a value: an empty input, off, or the first choice. */
export function typedOf({ kind, factor = 1, values, nullable }: FieldRule, value: Value | undefined): Typed {
  switch (kind) {
    case "switch":
      return value === true;
    case "list":
    case "choices":
    case "references":
    case "rows":
      return Array.isArray(value) ? value : [];
    case "number":
      return typeof value === "number" ? String(value / factor) : "";
    case "time":
      return typeof value === "string" ? localTime(new Date(value)) : "";
    case "choice":
      return typeof value === "string" ? value : nullable ? "" : (values?.[0] ?? "");
    case "text":
    case "secret":
    case "reference":
      return typeof value === "string" ? value : "";
  }
}

/** What is sent. Undefined: nothing, because the input is empty and the field cannot be. */
export function valueOf(rule: FieldRule, typed: Typed): Value | undefined {
  if (typeof typed !== "string") return typed;
  const text = rule.kind === "secret" ? typed : typed.trim();
  if (text === "") return rule.nullable ? (rule.kind === "secret" ? undefined : null) : emptyOf(rule);
  if (rule.kind === "number") return rule.factor === undefined ? Number(text) : Math.round(Number(text) * rule.factor);
  return rule.kind === "time" && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : text;
}

const emptyOf = ({ kind, min = 0, pattern }: Rule): "" | undefined =>
  kind === "text" && min === 0 && fits("", pattern) ? "" : undefined;

/** Whether the input may stay empty. */
export const isOptional = (rule: Rule): boolean =>
  rule.kind === "list" || rule.kind === "choices" || rule.kind === "references"
    ? (rule.min ?? 0) === 0
    : rule.nullable === true || (rule.kind !== "number" && rule.required !== true) || emptyOf(rule) !== undefined;

interface Texts extends Pick<Messages, "forms"> {
  readonly errors: Messages["ui"]["errors"];
}

/** What is wrong with an input, in words. The gateway may refuse more, such as a name that is taken. */
export function faultOf(rule: FieldRule, typed: Typed, t: Texts): string | undefined {
  if (typeof typed === "boolean") return undefined;
  if (typeof typed === "string") return textFault(rule, typed, t);
  return sizeFault(rule, typed.length, t.errors.few, t.errors.many) ?? itemFault(rule, typed, t);
}

function itemFault({ item }: Rule, all: readonly string[], t: Texts): string | undefined {
  for (const text of all) {
    const fault = item && textFault({ ...item, required: true }, text, t);
    if (fault !== undefined) return `${text}: ${fault}`;
  }
  return undefined;
}

function textFault(rule: FieldRule, typed: string, t: Texts): string | undefined {
  const { errors } = t;
  const text = rule.kind === "secret" ? typed : typed.trim();
  if (text === "") return isOptional(rule) ? undefined : errors.missing;
  if (rule.kind === "number") return numberFault(rule, Number(text), errors);
  if (rule.kind === "time") return Number.isNaN(Date.parse(text)) ? errors.form : undefined;
  if (rule.kind === "choice" || rule.kind === "reference") return undefined;
  const size = sizeFault(rule, Array.from(text).length, errors.short, errors.long);
  if (size !== undefined || fits(text, rule.pattern)) return size;
  return rule.form === undefined ? errors.form : errors.written(t.forms[rule.form]);
}

function numberFault({ min, max, whole, factor }: FieldRule, value: number, errors: Texts["errors"]) {
  if (Number.isNaN(value)) return errors.number;
  if (min !== undefined && value < min) return errors.small(String(min));
  if (max !== undefined && value > max) return errors.large(String(max));
  return whole && factor === undefined && !Number.isInteger(value) ? errors.whole : undefined;
}

function sizeFault({ min, max }: Rule, size: number, few: (min: string) => string, many: (max: string) => string) {
  if (min !== undefined && size < min) return few(String(min));
  return max !== undefined && size > max ? many(String(max)) : undefined;
}

const fits = (text: string, pattern: string | undefined): boolean =>
  pattern === undefined || new RegExp(pattern, "u").test(text);

/** As an input of the type `datetime-local` has it. */
function localTime(at: Date): string {
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

export const sameTyped = (one: Typed, other: Typed): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((it, index) => it === other[index])
    : one === other;
