import { api } from "@portcullis/contract/api";
import { reasons } from "@portcullis/contract/reasons";
import { expect, test } from "vitest";
import { codesBesideExplained, uncodedIn, uncodedSentences, uncodedTexts } from "./reasons.ts";
import { readSources } from "./source.ts";

const sources = readSources();
const text = { type: "string" };

test("reasons: every sentence of the API has a code, except texts of operators and of programs", () =>
  expect(uncodedSentences(api).toSorted()).toEqual(uncodedTexts.toSorted()));

test("reasons: a sentence without a code is found at any depth, by its name or by its description", () => {
  for (const name of ["reason", "problem", "message", "note", "detail", "trace"])
    expect(uncodedIn({ properties: { [name]: text } })).toEqual([name]);
  expect(uncodedIn({ items: { properties: { a: { anyOf: [text, { properties: { problem: text } }] } } } })).toEqual([
    "problem",
  ]);
  expect(uncodedIn({ properties: { trace: { type: "array", items: text } } })).toEqual(["trace"]);
  expect(uncodedIn({ properties: { state: { anyOf: [{ ...text, description: "Why it stopped" }] } } })).toEqual([
    "state",
  ]);
});

test("reasons: a text with a code, a word of a list, and a name are no such sentence", () => {
  expect(uncodedIn({ properties: { reason: text, coded_reason: {} } })).toEqual([]);
  expect(uncodedIn({ properties: { reason: { type: "string", enum: ["expired"] } } })).toEqual([]);
  expect(uncodedIn({ properties: { name: { ...text, description: "Name of the tunnel" } } })).toEqual([]);
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
  const isUsed = (code: string) =>
    used.includes(`"${code}"`) ||
    new RegExp(`\\b${code}: *[\\["\\n]`).test(used) ||
    composed.some((it) => it.test(code));
  expect(Object.keys(reasons).filter((code) => !isUsed(code))).toEqual([]);
  expect(isUsed("no_such_code")).toBe(false);
});

/** Codes that are composed from a word: `status_${word}`. */
const composed = [/^status_/, /^mismatch_/, /^dnssec_/, /^policy_without_/];
