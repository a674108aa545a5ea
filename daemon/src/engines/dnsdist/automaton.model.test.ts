import { expect, test } from "vitest";
import { randomChoices, randomPattern } from "../../../../testing/random-filter-policies.ts";
import { ownSec } from "../../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../../testing/deadline.ts";
import { announceSeed, randomFrom } from "../../../../testing/seed.ts";
import { type Automaton, accepts, automatonOf, memoizingCompiler } from "./automaton.model.ts";

const dice = randomChoices(randomFrom(announceSeed("automata")));

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
/** Short: RegExp backtracks exponentially in nested repetitions, which an automaton does not. */
const randomText = (): string =>
  dice
    .many(9, () => dice.among(["a", "b", "d", "s", "x", "1", ".", "-", "com", "ads"]))
    .join("")
    .slice(0, 11);

test("an automaton finds what the regular expression finds", () => {
  const differences: string[] = [];
  const counts = { found: 0, missed: 0 };
  for (let round = 0; round < 500; round += 1) {
    const pattern = randomPattern(dice);
    const automaton = automatonOf(pattern);
    if (automaton.kind === "refused") {
      if (!automaton.reason.startsWith("not affordable")) differences.push(`${pattern}: ${automaton.reason}`);
      continue;
    }
    const regex = new RegExp(pattern, "i");
    for (let tries = 0; tries < 40; tries += 1) {
      const text = randomText();
      const isFound = regex.test(text);
      counts[isFound ? "found" : "missed"] += 1;
      if (accepts(automaton, bytesOf(text)) !== isFound) differences.push(`${pattern} on ${text}`);
    }
  }
  expect(differences).toEqual([]);
  expect(Math.min(counts.found, counts.missed)).toBeGreaterThan(1000);
});

test.each([
  ["ads", "www.ads.example", true],
  ["ads", "www.adz.example", false],
  ["^ads", "www.ads.example", false],
  ["^ad(s|v)?\\d*\\.", "ADS12.example", true],
  ["tracker$", "tracker.example", false],
  ["(^|\\.)doubleclick\\.net$", "stats.doubleclick.net", true],
  ["(^|\\.)doubleclick\\.net$", "notdoubleclick.net", false],
  ["^[a-z0-9]{8,12}\\.(top|xyz)$", "k3j4h5g6.xyz", true],
  ["^[^.]+$", "localhost", true],
  ["", "anything", true],
  ["^$", "", true],
  ["a^", "a", false],
])("%s in %s: %s", (pattern, text, isFound) => {
  expect(accepts(automatonOf(pattern) as Automaton, bytesOf(text.toLowerCase()))).toBe(isFound);
});

test.each([
  ["a(?=b)", 1, /ahead or behind/],
  ["(?<!a)b", 0, /ahead or behind/],
  ["(a)\\1", 3, /referring back/],
  ["a\\b", 1, /not known/],
  ["(?i)ads", 0, /case never counts/],
  ["ab(c", 2, /not closed/],
  ["ab)", 2, /closes no group/],
  ["[a-", 0, /not closed/],
  ["[z-a]", 1, /ends before it begins/],
  ["[[:alpha:]]", 1, /as a character/],
  ["*.example.com", 0, /nothing to repeat/],
  ["a**", 2, /repetition of a repetition/],
  ["a{3,2}", 1, /less than the first/],
  ["a{2", 1, /begins no/],
  ["a{999}", 1, /not affordable/],
  ["bücher", 1, /xn--/],
  ["ends\\", 4, /at the end/],
  ["(a|b)*a(a|b){12}", 0, /not affordable/],
  ["((a{20}){20}){20}", 0, /not affordable/],
  ["a".repeat(1001), 1000, /longer than/],
])("%s is refused at %i", (pattern, position, reason) => {
  expect(automatonOf(pattern)).toEqual({ kind: "refused", position, reason: expect.stringMatching(reason) });
});

test("automaton: equivalent states are merged", () => {
  expect(automatonOf("a|a|aa|ab")).toMatchObject({ states: 2 });
});

test("automaton: compiled patterns are memoized, and evicted ones compiled again", () => {
  const compile = memoizingCompiler(2);
  const first = compile("a");
  expect(first).toEqual(automatonOf("a"));
  expect(compile("a")).toBe(first);
  for (const pattern of ["b", "c", "(", "d"]) expect(compile(pattern)).toEqual(automatonOf(pattern));
  expect(compile("a")).not.toBe(first);
});

test("no pattern takes long to refuse", repeatable, () => {
  const startedAt = ownSec();
  for (const pattern of ["(.*a){50}.{250}", "(a|b|c|d|e|f)*x.{200}", `${"(a?".repeat(300)}${")*".repeat(300)}`]) {
    expect(automatonOf(pattern)).toMatchObject({ kind: "refused" });
  }
  expectWithin(3, { "compilation of three expensive patterns": ownSec() - startedAt });
});
