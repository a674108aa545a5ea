import { Problem } from "@portcullis/contract/problem";
import { describe, expect, test } from "vitest";
import { ui as deutsch } from "../i18n/de/shell.ts";
import { ui as english } from "../i18n/en/shell.ts";
import { errorsOf, errorText, summaryOf } from "./form-errors.ts";

describe("validation errors by field", () => {
  test("from a schema check: the first of several messages about a field", () => {
    const problem = new Problem("invalid_request", {
      fields: [
        { field: "body.name", problem: "must NOT have fewer than 1 characters" },
        { field: "body.name", problem: 'must match pattern "x"' },
        { field: "query.limit", problem: "must be >= 1" },
        { field: "path.id", problem: 'must match format "uuid"' },
      ],
    });
    expect(errorsOf(problem)).toEqual({
      name: "must NOT have fewer than 1 characters",
      limit: "must be >= 1",
      id: 'must match format "uuid"',
    });
  });

  test("from a conflict", () => {
    const problem = new Problem("conflict", { field: "name", owner: "1" }, { message: "Another device has this name" });
    expect(errorsOf(problem)).toEqual({ name: "Another device has this name" });
  });

  test("inside a list: at its own control and at the list's", () => {
    const problem = new Problem("conflict", { field: "uplinks.1.interface" }, { message: "eth1 is a LAN interface" });
    expect(errorsOf(problem)).toEqual({
      "uplinks.1.interface": "eth1 is a LAN interface",
      "uplinks.1": "eth1 is a LAN interface",
      uplinks: "eth1 is a LAN interface",
    });
  });

  test.each([
    ["nothing", null],
    ["an error that is no problem", new TypeError("fetch failed")],
    ["a problem of no field", new Problem("not_found", { id: "12" })],
    [
      "details of another form",
      new Problem("invalid_request", { fields: ["name", null, { field: 1 }, { field: "body.x" }] }),
    ],
    ["fields that are no list", new Problem("invalid_request", { fields: "name" })],
  ])("%s concerns no field", (_, problem) => {
    expect(errorsOf(problem)).toEqual({});
  });
});

test.each([
  ["must NOT have fewer than 1 characters", "Required", "Erforderlich"],
  ["must NOT have fewer than 10 characters", "At least 10 characters", "Mindestens 10 Zeichen"],
  ["must NOT have more than 8 items", "At most 8 items", "Höchstens 8 Einträge"],
  ["must be >= 1", "At least 1", "Mindestens 1"],
  ["is required", "Required", "Erforderlich"],
  ["must be one of: a, b", "Not a valid choice", "Keine gültige Auswahl"],
  ["must be written as a URL", "Invalid format", "Ungültiges Format"],
  ['must match pattern "^a$"', "Invalid format", "Ungültiges Format"],
  ["names nothing that exists", "Names nothing that exists", "Names nothing that exists"],
])("%s", (messages, inEnglish, inGerman) => {
  expect(errorText(messages, english.errors)).toBe(inEnglish);
  expect(errorText(messages, deutsch.errors)).toBe(inGerman);
});

test("summary: all errors in one sentence, each field once; a message of the gateway is shown unchanged", () => {
  const fields = [
    { field: "body.new_password", problem: "must NOT have fewer than 10 characters" },
    { field: "body.name", problem: "must NOT have fewer than 1 characters" },
    { field: "body.name", problem: 'must match pattern "x"' },
  ];
  expect(summaryOf(new Problem("invalid_request", { fields }), english.errors)).toBe(
    "new password: At least 10 characters · name: Required",
  );
  expect(summaryOf(new Problem("conflict", { field: "name" }), english.errors)).toBeUndefined();
  expect(summaryOf(new Error("no"), english.errors)).toBeUndefined();
});
