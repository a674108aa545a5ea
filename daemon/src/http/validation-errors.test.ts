import { api } from "@portcullis/contract/api";
import { operations } from "@portcullis/contract/endpoint";
import { isExplained } from "@portcullis/contract/forms";
import { placed } from "@portcullis/contract/openapi";
import type { Problem } from "@portcullis/contract/problem";
import { MacAddress } from "@portcullis/contract/values";
import Type from "typebox";
import { describe, expect, test } from "vitest";
import { createSchemas } from "./schemas.ts";

const schemas = createSchemas({ checkAnswers: false });

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** A leaf of a schema, and a value of the whole schema that has `wrong` at that place and nothing else. */
interface Leaf {
  readonly path: readonly string[];
  readonly schema: Schema;
  readonly holding: (wrong: unknown) => unknown;
}

function leavesOf(schema: Schema, path: readonly string[] = [], holding: Leaf["holding"] = (it) => it): Leaf[] {
  const { properties = {}, items, anyOf = [] } = schema;
  return [
    { path, schema, holding },
    ...Object.entries(properties).flatMap(([name, inner]) =>
      leavesOf(inner, [...path, name], (it) => holding({ [name]: it })),
    ),
    ...(items ? leavesOf(items, [...path, "0"], (it) => holding([it])) : []),
    ...anyOf.flatMap((inner) => leavesOf(inner, path, holding)),
  ];
}

/** Every place of every request where a value can be refused. */
const places = operations(api).flatMap(({ subsystem, name, endpoint }) => {
  const { path, query, body } = placed(endpoint);
  return [
    { where: "path", schema: path },
    { where: "query", schema: query },
    ...(body ? [{ where: "body", schema: body }] : []),
  ].flatMap(({ where, schema }) =>
    leavesOf(schema as Schema).map((leaf) => ({
      ...leaf,
      operation: `${subsystem}.${name}`,
      field: [where, ...leaf.path].join("."),
      check: where === "body" ? schemas.body(schema) : schemas.text(schema, where),
    })),
  );
});

interface Reported {
  readonly field: string;
  readonly problem: string;
  readonly did_you_mean?: string;
  readonly allowed?: readonly unknown[];
}

function reportedOf(work: () => void): { message: string; fields: readonly Reported[] } {
  try {
    work();
  } catch (error) {
    const { message, details } = error as Problem;
    return { message, fields: details["fields"] as Reported[] };
  }
  return { message: "", fields: [] };
}

describe("validation errors: a value outside of an enumeration", () => {
  const enumerations = places.filter(({ schema }) => schema.enum !== undefined);

  test("is refused with every allowed value and the closest one, in every request of the contract", () => {
    expect(enumerations.length).toBeGreaterThan(80);
    for (const { operation, field, schema, holding, check } of enumerations) {
      const words = schema.enum!.filter((it) => typeof it === "string");
      const longest = words.toSorted((a, b) => b.length - a.length)[0]!;
      // Short words such as "A" are too near to each other for a guess.
      const wrong = `${longest}x`;
      const reported = reportedOf(() => check(holding(wrong))).fields.find((it) => it.field === field && it.allowed);
      expect([operation, field, reported?.allowed]).toEqual([operation, field, schema.enum]);
      for (const word of schema.enum!)
        expect([operation, field, reported!.problem]).toEqual([
          operation,
          field,
          expect.stringContaining(String(word)),
        ]);
      const guessed = longest.length > 2 ? longest : reported!.did_you_mean;
      expect([operation, field, reported!.did_you_mean]).toEqual([operation, field, guessed]);
      // Its own values are accepted: the refusal is about the value.
      const right = reportedOf(() => check(holding(words[0]))).fields.filter((it) => it.field === field);
      expect([operation, field, right]).toEqual([operation, field, []]);
    }
  });
});

describe("validation errors: a value that does not fit its pattern", () => {
  const patterns = places.filter(({ schema }) => schema.pattern !== undefined);

  test("is refused in words, in every request of the contract", () => {
    expect(patterns.length).toBeGreaterThan(50);
    let refused = 0;
    for (const { operation, field, schema, holding, check } of patterns)
      for (const wrong of ["\u0000", "\ud800"]) {
        const { fields } = reportedOf(() => check(holding(wrong)));
        const reported = fields.find((it) => it.field === field && it.problem.startsWith("must be written as "));
        if (!reported) continue; // Some patterns allow one of the two.
        refused += 1;
        expect([operation, field, reported.problem]).not.toEqual([
          operation,
          field,
          expect.stringContaining(schema.pattern!),
        ]);
        expect([operation, field, reported.problem]).not.toEqual([
          operation,
          field,
          expect.stringMatching(/\\p\{|\[\^|\)\*/),
        ]);
      }
    expect(refused).toBeGreaterThan(50);
  });

  test("has its words in contract/src/forms.ts, one line for each pattern", () =>
    expect([...new Set(patterns.map(({ schema }) => schema.pattern!))].filter((it) => !isExplained(it))).toEqual([]));
});

describe("validation errors: what a refusal says", () => {
  const check = schemas.body(
    Type.Object(
      {
        name: Type.String(),
        mac: Type.Optional(MacAddress),
        at: Type.Optional(Type.Union([Type.String({ format: "date-time" }), Type.Null()])),
        on: Type.Optional(Type.Literal(true)),
      },
      { additionalProperties: false },
    ),
  );

  test("begins with a misspelt field, because what is missing is missing for that reason", () => {
    const { message, fields } = reportedOf(() => check({ nmae: "TV" }));
    expect(message).toBe('body.nmae: is not a known field; did you mean "name"?');
    expect(fields).toEqual([
      { field: "body.nmae", problem: "is not a known field", did_you_mean: "name" },
      { field: "body.name", problem: "is required" },
    ]);
  });

  test("says how a value is written", () => {
    const problemOf = (body: object) =>
      reportedOf(() => check({ name: "TV", ...body })).fields.map(({ problem }) => problem);
    expect(problemOf({ mac: "nonsense" })).toEqual([
      "must be written as the MAC address of one device: twelve hexadecimal digits, such as 02:00:00:aa:bb:01; not a multicast address",
    ]);
    expect(problemOf({ at: "noon" })).toEqual(["must be written as a time such as 2026-01-31T12:00:00Z"]);
    expect(problemOf({ on: false })).toEqual(["must be true"]);
    expect(problemOf({ mac: "02:00:00:aa:bb:01", at: null, on: true })).toEqual([]);
  });
});
