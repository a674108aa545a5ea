import { globSync, readFileSync } from "node:fs";
import { alertRuleNames } from "@portcullis/contract/subsystems/alerts";
import { expect, test } from "vitest";

/** Tests in which a rule is raised by what really happens: on a gateway in the lab, or on a whole one in the test's process. */
const tests = globSync(["lab/**/*.lab.test.ts", "daemon/src/**/*.api.test.ts"])
  .filter((file) => !file.endsWith("alerts.api.test.ts"))
  .map((file) => readFileSync(file, "utf8"));

test("alert rules: there are 13", () => {
  expect([...alertRuleNames].toSorted()).toEqual([
    "cert-expired",
    "cert-expiry-critical",
    "direct-fallback",
    "dns-bypass",
    "dns-plane-down",
    "drift-detected",
    "killswitch-engaged",
    "leak-detected",
    "new-device",
    "port-scan",
    "resource-exhaustion",
    "tunnel-down",
    "tunnel-flap",
  ]);
});

test.each(alertRuleNames)("alert rules: %s is named by a test that raises it from a real event", (rule) => {
  expect(tests.some((text) => new RegExp(`["=]${rule}(?![\\w-])`).test(text))).toBe(true);
});
