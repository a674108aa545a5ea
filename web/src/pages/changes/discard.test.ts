import type { Difference } from "@portcullis/contract/subsystems/history";
import { expect, test } from "vitest";
import { discarding, isStagedKind, restaging } from "./discard.ts";

const difference = (change: Difference["change"], fields: Difference["fields"]): Difference => ({
  kind: "routing_policy",
  id: "1",
  name: "TV",
  change,
  fields,
});

test("discard: a changed resource gets its old values back, empty ones included", () => {
  const changed = difference("changed", [
    { field: "priority", before: 10, after: 20 },
    { field: "profile_id", before: null, after: "p" },
  ]);
  expect(discarding(changed)).toEqual({ kind: "update", id: "1", body: { priority: 10, profile_id: null } });
  expect(restaging(changed, undefined)).toEqual({ kind: "update", id: "1", body: { priority: 20, profile_id: "p" } });
});

test("discard: an added resource is removed, and undo adds it again", () => {
  const added = difference("added", [
    { field: "name", before: null, after: "TV" },
    { field: "profile_id", before: null, after: null },
  ]);
  expect(discarding(added)).toEqual({ kind: "remove", id: "1" });
  expect(restaging(added, undefined)).toEqual({ kind: "create", body: { name: "TV" } });
});

test("discard: a removed resource is added again, and undo removes it", () => {
  const removed = difference("removed", [{ field: "name", before: "TV", after: null }]);
  expect(discarding(removed)).toEqual({ kind: "create", body: { name: "TV" } });
  expect(restaging(removed, "2")).toEqual({ kind: "remove", id: "2" });
  expect(restaging(removed, undefined)).toEqual({ kind: "remove", id: "1" });
});

test("discard: only staged changes can be discarded", () => {
  expect([isStagedKind("profile"), isStagedKind("device"), isStagedKind("toString")]).toEqual([true, false, false]);
});
