import { api } from "@portcullis/contract/api";
import { expect, test } from "vitest";
import { fieldsOf, typeOf } from "./fields.ts";

test.each([
  [{ type: "string" }, "string"],
  [{ type: "string", minLength: 1, maxLength: 9 }, "string (1 to 9 characters)"],
  [{ type: "string", format: "uuid" }, "uuid"],
  [{ type: ["string", "null"], maxLength: 9 }, "string (at most 9 characters) or null"],
  [{ type: ["string", "null"], enum: ["a", null] }, "a | null"],
  [{ anyOf: [{ type: "object", title: "Device", properties: {} }, { type: "null" }] }, "Device or null"],
  [{ type: "integer", minimum: 0, maximum: 100 }, "integer (0 to 100)"],
  [{ type: "integer", minimum: 1 }, "integer (at least 1)"],
  [{ type: "array", items: { type: "integer" }, maxItems: 3 }, "list of integer (at most 3 items)"],
  [{ type: "object", patternProperties: { "^.*$": { type: "integer" } } }, "object of integer"],
  [{ type: "boolean" }, "boolean"],
  [{ const: true }, "true"],
  [{}, "any value"],
])("CLI fields: %j is called %j", (schema, words) => expect(typeOf(schema)).toBe(words));

test("CLI fields: the fields of a body say what is required", () =>
  expect(fieldsOf(api.deviceGroups.create.body).map(({ name, required }) => [name, required])).toEqual([
    ["name", true],
    ["description", false],
    ["device_ids", false],
  ]));

test("CLI fields: what is no object has no fields", () => expect(fieldsOf({ type: "string" })).toEqual([]));
