import fc from "fast-check";
import { expect, test } from "vitest";
import { parseBody, bodySource } from "./body.ts";

const files = (path: string) => ["device.json", "/dev/fd/63"].includes(path);
const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ['{"name":"printer"}', { kind: "literal", text: '{"name":"printer"}' }],
  ["  [1]", { kind: "literal", text: "  [1]" }],
  ["device.json", { kind: "file", path: "device.json" }],
  ["/dev/fd/63", { kind: "file", path: "/dev/fd/63" }],
  ["-", { kind: "stdin", isExplicit: true }],
  [undefined, { kind: "stdin", isExplicit: false }],
])("JSON body: the body of %j is found", (word, source) => expect(bodySource("required", word, files)).toEqual(source));

test("JSON body: what may be left out is not waited for", () => {
  expect(bodySource("optional", undefined, files)).toEqual({ kind: "none" });
  expect(bodySource("optional", "-", files)).toEqual({ kind: "stdin", isExplicit: true });
  expect(bodySource("never", undefined, files)).toEqual({ kind: "none" });
});

test("JSON body: a word that is neither JSON nor a file is refused", () =>
  expect(() => bodySource("required", "printer", files)).toThrow('"printer" is neither JSON nor a file'));

test("JSON body: every JSON value comes through unchanged", () =>
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(parseBody(bytes(JSON.stringify(value)), "it")).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  ));

test("JSON body: a byte order mark is no mistake", () =>
  expect(parseBody(Buffer.from('\ufeff{"a":1}'), "it")).toEqual({ a: 1 }));

test("JSON body: text that is not JSON is refused with the reason", () => {
  expect(() => parseBody(bytes("{name: printer}"), "device.json")).toThrow(/^device\.json is not JSON: /);
  expect(() => parseBody(bytes(""), "Standard input")).toThrow(/^Standard input is not JSON: /);
});

test("JSON body: bytes that are not UTF-8 are refused, not replaced", () =>
  expect(() => parseBody(Buffer.from([0x22, 0xff, 0x22]), "it")).toThrow(/^it is not JSON: /));
