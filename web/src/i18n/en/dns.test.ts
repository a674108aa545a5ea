import { expect, test } from "vitest";
import { dns as german } from "../de/dns.ts";
import { dns } from "./dns.ts";

test("DNS tester: the result is one sentence that names the deciding entry", () => {
  const { answer, resultTitle } = dns.tester;
  expect(resultTitle("kids.example", "Ana's tablet")).toBe("Is kids.example blocked for Ana's tablet?");
  expect(resultTitle("kids.example", "")).toBe("Is kids.example blocked?");
  expect(answer("block", dns.causes["dns_list"]!("Ads"), undefined)).toBe("Yes, blocked by list Ads.");
  expect(answer("allow", dns.causes["dns_filter_rule"]!("School"), undefined)).toBe("No, allowed by rule School.");
  expect(answer("none", null, undefined)).toBe("No, no rule matches.");
  expect(answer("rewrite", "rewrite nas", "10.0.0.2")).toBe("Answered with 10.0.0.2 by rewrite nas.");
});

test("DNS overview: the status has its reason", () => {
  expect(dns.overview.sentence("running", "")).toBe("DNS works on every exit.");
  expect(dns.overview.sentence("failed", "the dataplane is off")).toBe("The dataplane is off.");
  expect(dns.overview.sentence("degraded", "")).toBe("The reason is not known.");
  expect(german.overview.sentence("failed", "")).toBe("Grund: nicht bekannt.");
});

test("query log: the number of skipped entries is exact only without filters", () => {
  expect(dns.log.skipped("12", false)).toContain("Skipped 12");
  expect(dns.log.skipped("12", true)).toContain("up to 12");
});
