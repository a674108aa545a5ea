import { formOf } from "@portcullis/contract/forms";
import { nearest } from "@portcullis/contract/nearest";
import { Problem } from "@portcullis/contract/problem";
import type { ErrorObject } from "ajv/dist/2020.js";

/** One field of a request and what is wrong with it. */
interface Mistake {
  readonly field: string;
  readonly problem: string;
  readonly did_you_mean?: string;
  readonly allowed?: readonly unknown[];
}

/** Limit of reported mistakes: a body with a million wrong fields gets a short response. */
const maxReported = 20;

/** Validation errors → a problem that states for each field what is expected. */
export function refusal(where: string, errors: readonly ErrorObject[]): Problem {
  const fields = reportable(errors)
    .slice(0, maxReported)
    .map((error) => mistakeOf(where, error));
  const [first] = fields;
  return new Problem("invalid_request", { fields }, first ? { message: sentenceOf(first) } : {});
}

function sentenceOf({ field, problem, did_you_mean }: Mistake): string {
  const isComplete = did_you_mean === undefined || problem.includes("did you mean");
  return `${field}: ${problem}${isComplete ? "" : `; did you mean ${JSON.stringify(did_you_mean)}?`}`;
}

/**
 * Unknown fields come first: a misspelt field is often the cause of a missing one. For nullable values only the error of
 * the non-null alternative is reported.
 */
function reportable(errors: readonly ErrorObject[]): ErrorObject[] {
  const isAlternative = ({ keyword, params }: ErrorObject) =>
    keyword === "anyOf" || (keyword === "type" && (params as { type?: unknown }).type === "null");
  const plain = errors.filter((error) => !isAlternative(error));
  const relevant = plain.length > 0 ? plain : [...errors];
  const isUnknown = ({ keyword }: ErrorObject) => keyword === "additionalProperties";
  return [...relevant.filter(isUnknown), ...relevant.filter((error) => !isUnknown(error))];
}

function mistakeOf(where: string, error: ErrorObject): Mistake {
  const { instancePath, keyword, params, message, parentSchema, data } = error;
  const { missingProperty, additionalProperty } = params as { missingProperty?: string; additionalProperty?: string };
  const path = [where, ...instancePath.split("/").slice(1), missingProperty ?? additionalProperty];
  const field = path
    .filter((part) => part !== undefined)
    .join(".")
    .slice(0, 200);
  const schema = (parentSchema ?? {}) as Parameters<typeof formOf>[0] & { readonly properties?: object };
  switch (keyword) {
    case "additionalProperties":
      return {
        field,
        problem: "is not a known field",
        ...meant(additionalProperty, Object.keys(schema.properties ?? {})),
      };
    case "required":
      return { field, problem: "is required" };
    case "enum":
      return { field, ...notAllowed((params as { allowedValues: readonly unknown[] }).allowedValues, data) };
    case "const":
      return { field, problem: `must be ${JSON.stringify((params as { allowedValue: unknown }).allowedValue)}` };
    case "pattern":
    case "format":
      return { field, problem: `must be written as ${formOf(schema)}` };
    default:
      return { field, problem: message ?? "is not valid" };
  }
}

/** A value outside of an enumeration. */
function notAllowed(allowed: readonly unknown[], value: unknown): Omit<Mistake, "field"> {
  const guess = meant(
    value,
    allowed.filter((it) => typeof it === "string"),
  );
  const hint = guess.did_you_mean === undefined ? "" : `; did you mean ${JSON.stringify(guess.did_you_mean)}?`;
  return { problem: `must be one of: ${allowed.map(String).join(", ")}${hint}`, ...guess, allowed };
}

function meant(value: unknown, known: readonly string[]): { readonly did_you_mean?: string } {
  const word = typeof value === "string" ? nearest(value.slice(0, 64), known) : undefined;
  return word === undefined ? {} : { did_you_mean: word };
}
