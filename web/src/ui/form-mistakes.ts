import { Problem } from "@portcullis/contract/problem";
import type { Words } from "../i18n/en/en.ts";

/**
 * Messages by field. A request that violates the contract is answered with `fields: [{ field: "body.name", problem }]`,
 * one that conflicts with `field` and a message. Of several messages about a field the first is used; an error inside a
 * field (`hops.0.target`) is also shown at the field that has a control (`hops`).
 */
export function mistakesOf(problem: Error | null | undefined): Record<string, string> {
  if (!(problem instanceof Problem)) return {};
  const { field, fields } = problem.details;
  const told = Array.isArray(fields) ? fields.flatMap(mistakeOf) : [];
  const all = typeof field === "string" ? [...told, [placeOf(field), problem.message] as const] : told;
  const mistakes = new Map<string, string>();
  for (const [place, sentence] of all) if (!mistakes.has(place)) mistakes.set(place, sentence);
  for (const [place, sentence] of all)
    for (const around of enclosing(place)) if (!mistakes.has(around)) mistakes.set(around, sentence);
  return Object.fromEntries(mistakes);
}

function mistakeOf(it: unknown): (readonly [string, string])[] {
  const { field, problem } = (it ?? {}) as { field?: unknown; problem?: unknown };
  return typeof field === "string" && typeof problem === "string" ? [[placeOf(field), problem]] : [];
}

const placeOf = (field: string): string => field.replace(/^(?:body|query|path)\./, "");

/** `a.0.b` → `a.0`, `a`. */
const enclosing = (place: string): string[] => {
  const steps = place.split(".");
  return steps.slice(1).map((_, left) => steps.slice(0, steps.length - 1 - left).join("."));
};

/** All errors in one sentence, for screen readers; undefined if the gateway sent a sentence. */
export function summaryOf(problem: Error | null | undefined, say: Say): string | undefined {
  if (!(problem instanceof Problem) || !Array.isArray(problem.details["fields"])) return undefined;
  const told = new Map(problem.details["fields"].flatMap(mistakeOf).toReversed());
  const all = [...told].toReversed().map(([place, it]) => `${place.replaceAll(/[._]/g, " ")}: ${saidOf(it, say)}`);
  return all.length > 0 ? all.join(" · ") : undefined;
}

type Say = Words["kit"]["mistakes"];

/** The validator's message → readable text. Other messages are sentences already. */
const phrases: readonly (readonly [RegExp, (say: Say, figure: string) => string])[] = [
  [/^must NOT have fewer than 1 characters$/, (say) => say.missing],
  [/^(?:is required|must have required property)/, (say) => say.missing],
  [/^must NOT have fewer than (\d+) characters$/, (say, least) => say.short(least)],
  [/^must NOT have more than (\d+) characters$/, (say, most) => say.long(most)],
  [/^must NOT have fewer than (\d+) items$/, (say, least) => say.few(least)],
  [/^must NOT have more than (\d+) items$/, (say, most) => say.many(most)],
  [/^must be >= (\S+)$/, (say, least) => say.small(least)],
  [/^must be <= (\S+)$/, (say, most) => say.large(most)],
  [/^must NOT have duplicate items/, (say) => say.twice],
  [/^must be (?:one of: |equal to one of the allowed values$)/, (say) => say.choice],
  [/^must (?:be written as |match (?:pattern|format))/, (say) => say.form],
];

export function saidOf(mistake: string, say: Say): string {
  for (const [form, put] of phrases) {
    const found = form.exec(mistake);
    if (found) return put(say, found[1] ?? "");
  }
  return mistake.charAt(0).toUpperCase() + mistake.slice(1);
}
