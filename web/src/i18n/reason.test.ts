import { because, paramsIn, type Reason, type ReasonLanguage } from "@portcullis/contract/reason";
import { englishReasons, type ReasonCode } from "@portcullis/contract/reasons";
import { expect, test } from "vitest";
import { de } from "./de/de.ts";
import { reasonTexts } from "./reason.ts";

const codes = Object.keys(englishReasons) as ReasonCode[];
const otherParams = (one: string, other: string): boolean => paramsIn(one).join() !== paramsIn(other).join();

test.each([["de", de.reasons]] as const)(
  "catalogue %s: every reason uses the parameters of the English text",
  (_, texts) => {
    expect(codes.length).toBeGreaterThan(50);
    expect(codes.filter((code) => otherParams(texts[code], englishReasons[code]))).toEqual([]);
    expect(otherParams("{a} ist aus", "{a} is off: {b}")).toBe(true);
  },
);

test.each([["de", de.reasons]] as const)("catalogue %s: no reason ends with a full stop", (_, texts) => {
  expect(codes.filter((code) => /[.!?]$/.test(texts[code]))).toEqual([]);
});

const language: ReasonLanguage = {
  texts: de.reasons,
  number: String,
  ms: (value) => `${(value / 1000).toLocaleString("de")} s`,
  time: (value) => value,
};
const why = reasonTexts(language);

test("reason: it is written in the language of the interface, with a full stop as a sentence", () => {
  const of = {
    reason: "Responding again after 1.5 s",
    coded_reason: because("link_answers_again", { after_ms: 1500 }),
  };
  expect(why.line(of)).toBe("Antwortet wieder nach 1,5 s");
  expect(why.sentence(of)).toBe("Antwortet wieder nach 1,5 s.");
  expect(why.clause(of)).toBe("antwortet wieder nach 1,5 s");
});

test("reason: a code of a newer gateway is shown as its English sentence", () => {
  const newer = { reason: "It is on fire", coded_reason: { code: "on_fire", params: {} } as unknown as Reason };
  expect([why.line(newer), why.sentence(newer), why.clause(newer)]).toEqual([
    "It is on fire",
    "It is on fire.",
    "It is on fire",
  ]);
  const inside = { uplink: "fibre", why: newer.coded_reason };
  expect(why.line({ reason: "fibre is active", coded_reason: because("uplink_active", inside) })).toBe(
    "fibre is active",
  );
});

test("reason: no reason is an empty text", () => {
  const none = { reason: "", coded_reason: null };
  expect([why.line(none), why.sentence(none), why.clause(none)]).toEqual(["", "", ""]);
});
