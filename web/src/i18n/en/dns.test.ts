import { expect, test } from "vitest";
import { dns as german } from "../de/dns.ts";
import { dns } from "./dns.ts";

test("the tester answers in one sentence, and names who decides", () => {
  const { answer, resultTitle } = dns.tester;
  expect(resultTitle("kids.example", "Ana's tablet")).toBe("Would kids.example be blocked for Ana's tablet?");
  expect(resultTitle("kids.example", "")).toBe("Would kids.example be blocked?");
  expect(answer("block", dns.causes["dns_list"]!("Ads"), undefined)).toBe("Yes: list Ads.");
  expect(answer("allow", dns.causes["dns_filter_rule"]!("School"), undefined)).toBe("No: rule School lets it through.");
  expect(answer("none", null, undefined)).toBe("No: nothing speaks of it.");
  expect(answer("rewrite", "rewrite nas", "10.0.0.2")).toBe("It is answered with 10.0.0.2: rewrite nas.");
});

test("the state is told with its reason", () => {
  expect(dns.overview.sentence("running", "")).toBe("Names are answered on every way.");
  expect(dns.overview.sentence("failed", "the dataplane is off")).toBe("The dataplane is off.");
  expect(dns.overview.sentence("degraded", "")).toBe("The reason is not known.");
  expect(german.overview.sentence("failed", "")).toBe("Grund: nicht bekannt.");
});

test("what was passed over is counted exactly only when nothing was filtered", () => {
  expect(dns.log.skipped("12", false)).toContain("Skipped 12");
  expect(dns.log.skipped("12", true)).toContain("up to 12");
});
