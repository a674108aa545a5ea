import { Problem } from "@portcullis/contract/problem";
import { expect, test } from "vitest";
import { draftOf, isReady, refusalsOf, withPasted } from "./drafts.ts";

test("import drafts: pasted text replaces the earlier one and keeps the name beside it", () => {
  const file = draftOf("1", "[Interface]", "nl.conf");
  const first = withPasted([file], "client\nremote a 1");
  const named = first.map((draft) => ({ ...draft, name: draft.name || "Mine" }));
  const second = withPasted(named, "[Interface]\n");
  expect(second.map(({ name, recognised }) => [name, recognised.kind])).toEqual([
    ["Mine", "wireguard"],
    ["nl", "wireguard"],
  ]);
  expect(withPasted(second, "  ")).toHaveLength(1);
});

test("import drafts: only recognised texts that were not imported yet are imported", () => {
  const draft = draftOf("1", "[Interface]", null);
  expect(isReady(draft)).toBe(true);
  expect(isReady({ ...draft, made: { id: "a", name: "A", notes: [] } })).toBe(false);
  expect(isReady(draftOf("2", "hello", null))).toBe(false);
});

test("import drafts: refused lines are read from the gateway's response", () => {
  const refusals = [{ line: 2, problem: "PostUp would run a command." }];
  expect(refusalsOf(new Problem("invalid_request", { refusals }))).toEqual(refusals);
  expect(refusalsOf(new Problem("conflict", {}))).toEqual([]);
  expect(refusalsOf(new TypeError("fetch"))).toEqual([]);
});
