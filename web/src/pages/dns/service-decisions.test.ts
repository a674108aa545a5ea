import type { DnsFilterRule } from "@portcullis/contract/subsystems/dns-filters";
import { expect, test } from "vitest";
import { ruleFor, serviceDecision } from "./service-decisions.ts";

const everyone = { source_type: "everyone", source_value: "" } as const;
const tv = { source_type: "device", source_value: "tv" } as const;
const rule = (action: DnsFilterRule["action"], pattern: string, about: Partial<DnsFilterRule> = {}): DnsFilterRule => ({
  id: pattern,
  name: pattern,
  action,
  match: "service",
  pattern,
  enabled: true,
  note: "",
  ...everyone,
  ...about,
});
const youtube = { id: "youtube", category: "video", safe_search: true } as const;
const netflix = { id: "netflix", category: "video", safe_search: false } as const;

test("service decisions: its own rule, else that of its category, both enabled and for this scope", () => {
  const rules = [rule("block", "video"), rule("allow", "youtube", tv), rule("block", "netflix", { enabled: false })];
  expect(serviceDecision(rules, youtube, everyone)).toEqual({ own: "none", byCategory: "block" });
  expect(serviceDecision(rules, youtube, tv)).toEqual({ own: "allow", byCategory: undefined });
  expect(serviceDecision(rules, netflix, everyone)).toEqual({ own: "none", byCategory: "block" });
  expect(serviceDecision(rules, netflix, tv)).toEqual({ own: "none", byCategory: undefined });
});

test("service decisions: safe search for a category does nothing for a service without it", () => {
  const rules = [rule("safe_search", "video")];
  expect(serviceDecision(rules, youtube, everyone).byCategory).toBe("safe_search");
  expect(serviceDecision(rules, netflix, everyone).byCategory).toBeUndefined();
});

test("service decisions: a rule that always applies precedes one with a schedule", () => {
  const night = rule("block", "youtube", { id: "night", schedule_id: "s" });
  expect(ruleFor([night], "youtube", everyone)).toBe(night);
  const always = rule("allow", "youtube", { id: "always", schedule_id: null });
  expect(ruleFor([night, always], "youtube", everyone)).toBe(always);
});
