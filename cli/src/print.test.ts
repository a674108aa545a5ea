import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeControls } from "./escape.ts";
import { alignedTable, cell, json, table } from "./print.ts";

const steersTerminals = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

test("CLI output: a table has a header, tabs between fields and a line for each row", () =>
  expect(
    table(
      ["id", "name", "level", "on"],
      [
        { id: 1, name: "printer", level: 0, on: false, unseen: "x" },
        { id: 2, name: null },
      ],
    ),
  ).toBe("id\tname\tlevel\ton\n1\tprinter\t0\tfalse\n2\t\t\t\n"));

test("CLI output: on a terminal the columns of a table are aligned, whatever letters are in them", () =>
  expect(
    alignedTable(
      ["name", "level", "note"],
      [
        { name: "printer", level: 0, note: "a" },
        { name: "居間", level: 100, note: null },
        { name: "Küche", level: 5, note: "c" },
      ],
    ),
  ).toBe("name     level  note\nprinter  0      a\n居間     100\nKüche    5      c\n"));

test("CLI output: an empty list is a header", () => expect(table(["id", "name"], [])).toBe("id\tname\n"));

test.each([
  ["printer", "printer"],
  [null, ""],
  [undefined, ""],
  [0, "0"],
  [["a", "b"], "a,b"],
  [{ a: [1] }, '{"a":[1]}'],
  [[{ a: 1 }], '[{"a":1}]'],
  ["a\tb\r\nc", "a\\tb\\r\\nc"],
  ["\u001b[31mred\u009b0m\u007f", "\\u001b[31mred\\u009b0m\\u007f"],
  ["abc\u202etxt.exe", "abc\\u202etxt.exe"],
  ["Küche 👩‍👧", "Küche 👩‍👧"],
])("CLI output: %j is written as %j", (value, text) => expect(cell(value)).toBe(text));

test("CLI output: whatever a device calls itself, its row stays one line and reaches no terminal", () => {
  const name = fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue(), fc.array(fc.string({ unit: "binary" })));
  fc.assert(
    fc.property(fc.array(fc.record({ id: name, name }), { maxLength: 4 }), (rows) => {
      const lines = table(["id", "name"], rows).split("\n");
      expect(lines).toHaveLength(rows.length + 2);
      for (const line of lines.slice(0, -1)) {
        const fields = line.split("\t");
        expect(fields).toHaveLength(2);
        for (const field of fields) expect(field).not.toMatch(steersTerminals);
      }
    }),
  );
});

test("CLI output: printed JSON says the same as the value and steers no terminal", () =>
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const printed = json(value);
      expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(printed.replaceAll("\n", "")).not.toMatch(steersTerminals);
    }),
  ));

test("CLI output: making text harmless twice changes nothing more", () =>
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(escapeControls(escapeControls(text))).toBe(escapeControls(text));
    }),
  ));
