import { expect, test } from "vitest";
import { wordsOf } from "./forwarder-fields.ts";

test("names may stand on lines, between blanks or commas", () => {
  expect(wordsOf(" a.example, b.example\n\nc.example ")).toEqual(["a.example", "b.example", "c.example"]);
  expect(wordsOf(" \n")).toEqual([]);
});
