import { expect, it } from "vitest";
import { queriedDomains, isStopped, topDomains } from "./top-domains.ts";

const entry = (name: string, minute: number, verdict: "none" | "block" = "none") => ({
  name,
  timestamp: `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`,
  verdict,
  cause: verdict === "block" ? { resource_type: "dns_list", resource_id: "1", name: "Ads" } : null,
});
const log = [entry("b.example", 9), entry("a.example", 8, "block"), entry("c.example", 7), entry("a.example", 2)];

it("domains: each once, newest first, with its last verdict", () => {
  expect(queriedDomains(log)).toEqual([
    { name: "b.example", count: 1, last: log[0]!.timestamp, verdict: "none", cause: null },
    { name: "a.example", count: 2, last: log[1]!.timestamp, verdict: "block", cause: "Ads" },
    { name: "c.example", count: 1, last: log[2]!.timestamp, verdict: "none", cause: null },
  ]);
});

it("domains: the most queried first; of equals the later one", () => {
  expect(topDomains(queriedDomains(log), 2).map(({ name }) => name)).toEqual(["a.example", "b.example"]);
});

it("domains: an alias and a private address count as blocked", () => {
  expect((["block", "cname", "rebind", "allow", "none", "rewrite"] as const).map(isStopped)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
