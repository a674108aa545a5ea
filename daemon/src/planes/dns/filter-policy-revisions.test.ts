import { expect, test } from "vitest";
import { causeIn } from "./dns.status.ts";
import type { FilterPolicy } from "../../engines/dnsdist/filter-policy.model.ts";
import { policyRevisions } from "./filter-policy-revisions.ts";

const blocking = (...domains: string[]): FilterPolicy => ({
  isFiltering: true,
  clients: [],
  others: { layers: [1], lists: 0, log: "full" },
  layers: [
    {
      number: 1,
      rules: domains.map((name) => ({
        cause: `dns_block_entry ${name}`,
        match: { kind: "suffix" as const, name },
        action: { kind: "block" as const },
      })),
    },
  ],
  lists: [],
  routes: [],
});

test("DNS log: an answer given before a rule change is attributed to the rule that decided, after the change too", () => {
  const policies = policyRevisions();
  const before = policies.add(blocking("ads.example", "tracker.example"));
  const after = policies.add(blocking("video.example", "ads.example", "tracker.example"));
  const cause = (revision: number) =>
    causeIn(policies.find(revision)!, { kind: "rule", index: 0 }, (_, id) => id)?.name;
  expect([cause(before), cause(after)]).toEqual(["ads.example", "video.example"]);
});

test("filter policy revisions: only the latest are kept, and numbers wrap at 32 bits", () => {
  const policies = policyRevisions(2 ** 32 - 1, 2);
  const revisions = ["a.test", "b.test", "c.test"].map((name) => policies.add(blocking(name)));
  expect(revisions).toEqual([2 ** 32 - 1, 0, 1]);
  expect(revisions.map((it) => policies.find(it)?.layers[0]!.rules[0]!.cause)).toEqual([
    undefined,
    "dns_block_entry b.test",
    "dns_block_entry c.test",
  ]);
});
