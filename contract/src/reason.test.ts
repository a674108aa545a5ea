import { expect, test } from "vitest";
import { because, clause, explained, isReason, paramsIn, type Reason, reported, sentence } from "./reason.ts";
import { type ReasonParam, reasons } from "./reasons.ts";

const registry: readonly [
  string,
  { readonly text: string; readonly params?: Readonly<Record<string, ReasonParam>> },
][] = Object.entries(reasons);

const unexplained = (text: string, params: object): boolean =>
  paramsIn(text).join() !== Object.keys(params).toSorted().join();

test("reasons: every text has exactly the parameters that are declared", () => {
  expect(registry.length).toBeGreaterThan(50);
  expect(registry.filter(([, { text, params = {} }]) => unexplained(text, params)).map(([code]) => code)).toEqual([]);
  expect(unexplained("{a} is down", { a: "text", b: "text" })).toBe(true);
  expect(unexplained("{a} is down", {})).toBe(true);
});

/** Names and abbreviations keep their capital. */
const isClause = (text: string): boolean => /^(?:[a-z{]|[A-Z]{2})/.test(text) && !/[.!?]$/.test(text);

test("reasons: every text fits into another sentence", () => {
  expect(registry.filter(([, { text }]) => !isClause(text)).map(([code]) => code)).toEqual([]);
  expect([isClause("It is down"), isClause("it is down.")]).toEqual([false, false]);
});

test("reason: a sentence begins with a capital, a clause and a parameter do not", () => {
  expect(sentence(because("link_answers"))).toBe("Responding");
  expect(clause(because("link_answers"))).toBe("responding");
  expect(sentence(because("program_missing", { program: "openvpn" }))).toBe("openvpn is not installed");
  expect(sentence(reported("exit code 1"))).toBe("exit code 1");
});

test("reason: durations, numbers, lists and reasons inside a reason are written", () => {
  expect(sentence(because("link_answers_again", { after_ms: 1540 }))).toBe("Responding again after 1.5 s");
  expect(sentence(because("link_never_answered", { limit_ms: 10_000 }))).toBe("No probe was answered within 10 s");
  const networks = ["10.0.0.0/8", "fc00::/7"];
  expect(sentence(because("openvpn_public_address", { address: "192.0.2.1", networks }))).toContain(
    "(10.0.0.0/8, fc00::/7)",
  );
  const problem = because("uplink_unusable", {
    uplink: "fibre",
    status: because("status_failed"),
    why: because("link_interface_gone"),
  });
  expect(sentence(because("uplink_alone", { problem }))).toBe(
    "fibre is failed (its interface is gone) and no other uplink is up, so it stays",
  );
});

test("reason: a reason at the start of a sentence gets the capital", () => {
  const state = because("link_interface_gone");
  expect(sentence(because("uplink_best", { state }))).toMatch(/^Its interface is gone and/);
  expect(clause(because("uplink_best", { state }))).toMatch(/^its interface is gone and/);
});

test("reason: the API has the sentence and the code; without a reason it has neither", () => {
  expect(explained(because("link_disabled"))).toEqual({
    reason: "It is switched off",
    coded_reason: { code: "link_disabled", params: {} },
  });
  expect(explained(null)).toEqual({ reason: "", coded_reason: null });
});

test("reason: text in braces that is no parameter stays", () => {
  expect(sentence(reported("{message} {other}"))).toBe("{message} {other}");
});

test.each<[string, unknown]>([
  ["an unknown code", { code: "no_such_code", params: {} }],
  ["a code of the object's prototype", { code: "constructor", params: {} }],
  ["a missing parameter", { code: "program_missing", params: {} }],
  ["a parameter of another kind", { code: "link_lossy", params: { lost: "8", probes: 8 } }],
  ["an invalid reason inside", { code: "uplink_best", params: { state: { code: "x", params: {} } } }],
  ["no parameters", { code: "link_disabled" }],
  ["a sentence", "It is switched off"],
  ["null", null],
])("reason: %s is no reason", (_, value) => expect(isReason(value)).toBe(false));

test("reason: a reason that was written to a file is one", () => {
  const why = because("uplink_best", { state: because("uplink_up", { uplink: "fibre" }) });
  expect(isReason(JSON.parse(JSON.stringify(why)) as Reason)).toBe(true);
});
