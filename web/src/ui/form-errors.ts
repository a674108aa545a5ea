import { Problem } from "@portcullis/contract/problem";
import type { Messages } from "../i18n/en/en.ts";

/**
 * Messages by field. A request that violates the contract is answered with `fields: [{ field: "body.name", problem }]`,
 * one that conflicts with `field` and a message. Of several messages about a field the first is used; an error inside a
 * field (`hops.0.target`) is also shown at the field that has a control (`hops`).
 */
export function errorsOf(problem: Error | null | undefined): Record<string, string> {
  if (!(problem instanceof Problem)) return {};
  const { field, fields } = problem.details;
  const messages = Array.isArray(fields) ? fields.flatMap(errorOf) : [];
  const all = typeof field === "string" ? [...messages, [fieldNameOf(field), problem.message] as const] : messages;
  const errors = new Map<string, string>();
  for (const [index, sentence] of all) if (!errors.has(index)) errors.set(index, sentence);
  for (const [index, sentence] of all)
    for (const around of enclosing(index)) if (!errors.has(around)) errors.set(around, sentence);
  return Object.fromEntries(errors);
}

function errorOf(it: unknown): (readonly [string, string])[] {
  const { field, problem } = (it ?? {}) as { field?: unknown; problem?: unknown };
  return typeof field === "string" && typeof problem === "string" ? [[fieldNameOf(field), problem]] : [];
}

const fieldNameOf = (field: string): string => field.replace(/^(?:body|query|path)\./, "");

/** `a.0.b` → `a.0`, `a`. */
const enclosing = (index: string): string[] => {
  const steps = index.split(".");
  return steps.slice(1).map((_, left) => steps.slice(0, steps.length - 1 - left).join("."));
};

/** All errors in one sentence, for screen readers; undefined if the gateway sent a sentence. */
export function summaryOf(problem: Error | null | undefined, t: Texts): string | undefined {
  if (!(problem instanceof Problem) || !Array.isArray(problem.details["fields"])) return undefined;
  const messages = new Map(problem.details["fields"].flatMap(errorOf).toReversed());
  const all = [...messages].toReversed().map(([index, it]) => `${index.replaceAll(/[._]/g, " ")}: ${errorText(it, t)}`);
  return all.length > 0 ? all.join(" · ") : undefined;
}

type Texts = Messages["ui"]["errors"];

/** The validator's message → readable text. Other messages are sentences already. */
const phrases: readonly (readonly [RegExp, (t: Texts, figure: string) => string])[] = [
  [/^must NOT have fewer than 1 (?:characters|items)$/, (t) => t.missing],
  [/^(?:is required|must have required property)/, (t) => t.missing],
  [/^must NOT have fewer than (\d+) characters$/, (t, min) => t.short(min)],
  [/^must NOT have more than (\d+) characters$/, (t, max) => t.long(max)],
  [/^must NOT have fewer than (\d+) items$/, (t, min) => t.few(min)],
  [/^must NOT have more than (\d+) items$/, (t, max) => t.many(max)],
  [/^must be >= (\S+)$/, (t, min) => t.small(min)],
  [/^must be <= (\S+)$/, (t, max) => t.large(max)],
  [/^must NOT have duplicate items/, (t) => t.twice],
  [/^must be (?:one of: |equal to one of the allowed values$)/, (t) => t.choice],
  [/^must (?:be written as |match (?:pattern|format))/, (t) => t.form],
];

export function errorText(error: string, t: Texts): string {
  for (const [form, put] of phrases) {
    const found = form.exec(error);
    if (found) return put(t, found[1] ?? "");
  }
  return error.charAt(0).toUpperCase() + error.slice(1);
}
