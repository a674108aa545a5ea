import { expect, test } from "vitest";
import { itemsOf } from "./forwarder-fields.ts";

test("forwarder form: domains are separated by lines, blanks or commas", () => {
  expect(itemsOf(" a.example, b.example\n\nc.example ")).toEqual(["a.example", "b.example", "c.example"]);
  expect(itemsOf(" \n")).toEqual([]);
});
