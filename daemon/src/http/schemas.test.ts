import { api } from "@portcullis/contract/api";
import { operations } from "@portcullis/contract/endpoint";
import { placed } from "@portcullis/contract/openapi";
import { because, explained } from "@portcullis/contract/reason";
import { optionalReasonFields, reasonFields } from "@portcullis/contract/values";
import { Ajv2020 } from "ajv/dist/2020.js";
import Type from "typebox";
import { expect, test } from "vitest";
import { BootstrapKeys } from "../config/keys.ts";
import { createSchemas } from "./schemas.ts";

const judge = new Ajv2020({ strict: false });

test("schemas: every schema the daemon compiles is one, which it does not ask itself", () => {
  const compiled = operations(api).map(({ subsystem, name, endpoint }) => {
    const { path, query, body } = placed(endpoint);
    const schemas = [path, query, ...(body ? [body] : []), ...(endpoint.responseType ? [] : [endpoint.result])];
    return { name: `${subsystem}.${name}`, isSound: schemas.every((schema) => judge.validateSchema(schema) === true) };
  });
  expect(compiled.filter(({ isSound }) => !isSound)).toEqual([]);
  expect(compiled.length).toBeGreaterThan(200);
  expect(judge.validateSchema(BootstrapKeys)).toBe(true);
  expect(judge.validateSchema({ type: "strin" })).toBe(false);
});

test("schemas: a word that no schema knows is refused all the same", () => {
  const check = createSchemas({ checkAnswers: false }).body({ type: "object", minimun: 1 });
  expect(() => check({})).toThrow("unknown keyword");
});

test("schemas: different schemas are compiled separately, and errors belong to their own schema", () => {
  const schemas = createSchemas({ checkAnswers: false });
  const whole = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
  const least = { ...whole, properties: { count: { type: "integer", minimum: 5 } } };
  expect(() => schemas.body(whole)({ count: 3 })).not.toThrow();
  expect(() => schemas.body(least)({ count: 3 })).toThrow("body.count: must be >= 5");
  expect(() => schemas.body({ ...whole })({})).toThrow("body.count: is required");
  // The same schema for what arrives as text is another check.
  expect(() => schemas.text(whole, "query")({ count: "3" })).not.toThrow();
  expect(() => schemas.body(whole)({ count: "3" })).toThrow("body.count: must be integer");
});

test("schemas: a coded reason is answered with the reasons inside it, also where there may be none", () => {
  const state = because("uplink_up", { uplink: "fibre" });
  const why = explained(because("uplink_other_returns", { state, other: "cable", after_ms: 30_000 }));
  const schemas = createSchemas({ checkAnswers: true });
  for (const fields of [reasonFields("Why"), optionalReasonFields("Why")]) {
    const answer = schemas.answer(Type.Object(fields));
    expect(JSON.parse(answer(why))).toEqual(why);
  }
  const optional = schemas.answer(Type.Object(optionalReasonFields("Why")));
  expect(optional(explained(null))).toBe('{"reason":"","coded_reason":null}');
});

test("schemas: an answer that breaks its schema is held back where answers are checked, and says why", () => {
  const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const schemas = createSchemas({ checkAnswers: true });
  expect(schemas.answer(schema)({ name: "phone" })).toBe('{"name":"phone"}');
  expect(() => schemas.answer(schema)({ name: 5 })).toThrow(
    "The response does not match the contract: data/name must be string",
  );
});
