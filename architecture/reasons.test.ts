import { api } from "@portcullis/contract/api";
import { reasons } from "@portcullis/contract/reasons";
import { expect, test } from "vitest";
import { codesBesideExplained, isUncoded, operatorsTexts, pendingSubjects, uncodedSubjects } from "./reasons.ts";
import { readSources } from "./source.ts";

const sources = readSources();
const text = { type: "string" };
const uncoded = { properties: { reason: text } };

test("reasons: every reason of the API has a code, except in the pending subjects", () =>
  expect(uncodedSubjects(api).toSorted()).toEqual([...pendingSubjects, ...operatorsTexts].toSorted()));

test("reasons: a sentence without a code is found at any depth; one with a code and a word of a list are not", () => {
  expect(isUncoded(uncoded)).toBe(true);
  expect(isUncoded({ items: { properties: { a: { anyOf: [text, uncoded] } } } })).toBe(true);
  expect(isUncoded({ properties: { reason: text, coded_reason: {} } })).toBe(false);
  expect(isUncoded({ properties: { reason: { type: "string", enum: ["expired"] } } })).toBe(false);
});

test("reasons: the sentence and the code of the API are written by one function", () => {
  expect(codesBesideExplained(sources)).toEqual([]);
  const file = "daemon/src/a.ts";
  expect(codesBesideExplained([{ file, text: 'const a = { reason: "x", coded_reason: b };' }])).toEqual([file]);
  expect(codesBesideExplained([{ file, text: "const a = explained(b); a.coded_reason;" }])).toEqual([]);
});

test("reasons: the gateway uses every code", () => {
  const daemon = sources.filter(({ file }) => !file.startsWith("web/") && !file.startsWith("contract/src/reason"));
  const used = daemon.map((it) => it.text).join("\n");
  const isUsed = (code: string) => used.includes(`"${code}"`) || composed.some((it) => it.test(code));
  expect(Object.keys(reasons).filter((code) => !isUsed(code))).toEqual([]);
  expect(isUsed("no_such_code")).toBe(false);
});

/** Codes that are composed from a word: `status_${word}`. */
const composed = [/^status_/, /^mismatch_/, /^dnssec_/];
