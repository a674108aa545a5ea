import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { domainBelow, domainIn, labelsIn, patternIn } from "./domains.ts";

announceSeed("domains");

/** The spelling, or that there is none. */
function spelled(text: string): string | undefined {
  try {
    return domainIn("domain", text);
  } catch {
    return undefined;
  }
}

test.each([
  ["Example.ORG.", "example.org"],
  ["münchen.example", "xn--mnchen-3ya.example"],
  ["例え.example", "xn--r8jz45g.example"],
  ["_sip._tcp.example", "_sip._tcp.example"],
  ["7.2.0.192.in-addr.arpa", "7.2.0.192.in-addr.arpa"],
  ["localhost", "localhost"],
])("domains: %s is kept as %s", (text, name) => expect(spelled(text)).toBe(name));

test.each([
  ["a..example", "empty part"],
  [".", "empty part"],
  ["-a.example", 'such as "-a"'],
  ["a/b.example", 'such as "a/b"'],
  ["ü/b.example", "no domain name has"],
  ["ü example", "no domain name has"],
  [`${"a".repeat(64)}.example`, "more than 63"],
  [Array.from({ length: 64 }, () => "abc").join("."), "longer than 253"],
  ["192.0.2.7", "is a number"],
])("domains: %s is refused with the reason", (text, reason) => expect(() => domainIn("domain", text)).toThrow(reason));

test("domains: in a reverse zone numbers are names, and below a star comes a name", () => {
  expect(labelsIn("name", "7")).toBe("7");
  expect(domainBelow("domain", "*.Ads.example")).toBe("ads.example");
  expect(patternIn("*.Ads.example", "body")).toBe("*.ads.example");
  expect(() => patternIn("*", "query")).toThrow("query.pattern: ");
});

const label = fc.stringMatching(/^[A-Za-z0-9_üßж例-]{1,12}$/);
const text = fc.oneof(
  fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join(".")),
  fc.string(),
);

test("domains: accepted names have a canonical form that is valid in DNS", () =>
  fc.assert(
    fc.property(text, (word) => {
      const name = spelled(word);
      const isFit = name === undefined || (/^[a-z0-9_.-]{1,253}$/.test(name) && spelled(name) === name);
      expect([word, isFit]).toEqual([word, true]);
    }),
  ));
