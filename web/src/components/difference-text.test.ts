import type { Difference } from "@portcullis/contract/subsystems/history";
import fc from "fast-check";
import { expect, test } from "vitest";
import { en } from "../i18n/en/en.ts";
import { linesOf, phrasesOf, policyOf, titleOf } from "./difference-text.ts";

const changed = (fields: Difference["fields"]): Difference => ({
  kind: "routing_policy",
  id: "1",
  name: "TV",
  change: "changed",
  fields,
});
const nameOf = (word: string) => (word === "t1" ? "Zürich" : word);
const phrases = (fields: Difference["fields"]) =>
  phrasesOf(changed(fields), en.differences.fields, en.paths.sources, nameOf);

test("difference text: a changed policy lists what changed, with the names of hops", () => {
  expect(
    phrases([
      { field: "priority", before: 20, after: 10 },
      { field: "hops", before: [], after: [{ type: "vpn", target: "t1" }] },
      { field: "fail_policy", before: "fail-open", after: "fail-closed" },
    ]),
  ).toEqual([
    "checked earlier: priority 10, was 20",
    "goes through Zürich; before: direct",
    "blocked when a hop is down; before: direct when a hop is down",
  ]);
});

test("difference text: a schedule is named, and so is one that a policy no longer has", () => {
  expect(phrases([{ field: "schedule_id", before: null, after: "t1" }])).toEqual([
    "applies while schedule Zürich is active",
  ]);
  expect(phrases([{ field: "schedule_id", before: "t1", after: null }])).toEqual([
    "no longer waits for schedule Zürich",
  ]);
});

test("difference text: a source is described by type and value together", () => {
  expect(
    phrases([
      { field: "source_type", before: "all", after: "subnet" },
      { field: "source_value", before: "", after: "10.0.0.0/24" },
    ]),
  ).toEqual(["applies to Network 10.0.0.0/24; before: All traffic"]);
});

test("difference text: a field without a phrase is left to the details", () => {
  expect(phrases([{ field: "stages", before: [], after: [1] }])).toEqual([]);
});

test("difference text: an added profile is described by its path", () => {
  const came: Difference = {
    kind: "profile",
    id: "1",
    name: "Abroad",
    change: "added",
    fields: [
      { field: "hops", before: null, after: [{ type: "vpn", target: "t1" }] },
      { field: "fail_policy", before: null, after: "fail-closed" },
    ],
  };
  expect(phrasesOf(came, en.differences.fields, en.paths.sources, nameOf)).toEqual([
    "through Zürich",
    "blocked when a hop is down",
  ]);
});

test("difference text: an added policy is completed with its omitted fields", () => {
  const came: Difference = {
    ...changed([
      { field: "source_type", before: null, after: "all" },
      { field: "fail_policy", before: null, after: "fail-closed" },
    ]),
    change: "added",
  };
  expect(policyOf(came)).toMatchObject({ source_type: "all", fail_policy: "fail-closed", hops: [], profile_id: null });
  expect(policyOf(changed([]))).toBeUndefined();
});

test("difference text: a resource without a name is called by its subject, never by a bare id", () => {
  const id = "01a1dff1-e34d-7217-afe6-7f232b878890";
  const blocked = { ...changed([{ field: "domain", before: null, after: "ads.example" }]), name: id, id };
  expect(titleOf(blocked)).toBe("ads.example");
  expect(titleOf({ ...blocked, name: "", fields: [] })).toBe("");
  expect(titleOf({ ...blocked, name: "", id: "network.lan", fields: [] })).toBe("network.lan");
  expect(titleOf(changed([]))).toBe("TV");
});

test("line comparison: both texts can be reconstructed, and common lines stay", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = linesOf(before, after);
      const without = (mark: string) =>
        lines
          .filter((line) => line.mark !== mark)
          .map((line) => line.text)
          .join("\n");
      expect([without("new"), without("gone")]).toEqual([before, after]);
    }),
  );
  expect(linesOf("a\nb", "a\nc").map(({ mark }) => mark)).toEqual(["same", "gone", "new"]);
});
