import { expect, test } from "vitest";
import { wordsOf } from "./forwarder-fields.ts";

test("forwarder form: domains are separated by lines, blanks or commas", () => {
  expect(wordsOf(" a.example, b.example\n\nc.example ")).toEqual(["a.example", "b.example", "c.example"]);
  expect(wordsOf(" \n")).toEqual([]);
});
