import { api } from "@portcullis/contract/api";
import { expect, test } from "vitest";
import { creating, removable } from "./restore.ts";

test.each(removable)("undo of %s: every field that is read and sent back is accepted", (subsystem) => {
  const { get, create } = api[subsystem];
  const sent = Object.keys(creating(get.result.properties));
  expect(sent.length).toBeGreaterThan(2);
  expect(Object.keys(create.body.properties)).toEqual(expect.arrayContaining(sent));
});
