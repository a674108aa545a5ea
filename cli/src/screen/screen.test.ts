import fc from "fast-check";
import { expect, test } from "vitest";
import { bad, cut, good, page, plainText, rich, sentence, shown, widthOf, wrapped } from "./rich.ts";
import { screenTable } from "./table.ts";
import { duration, timeWords, words } from "./values.ts";

const screen = { columns: 40, colors: false, timeZone: "UTC" };
const reading = { now: new Date("2026-10-01T12:00:00Z"), screen };
const controlsTerminals = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

test("screen: names with control characters reach no terminal, with colours or without", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (name) => {
      const line = sentence`${name} is ${bad(name)}, ${good(name)}`;
      expect(shown(line, { colors: false })).not.toMatch(controlsTerminals);
      // oxlint-disable-next-line no-control-regex -- the colours of the client itself
      expect(shown(line, { colors: true }).replace(/\u001b\[\d+m/g, "")).not.toMatch(controlsTerminals);
    }),
  );
});

test("screen: a line has colours only where they are wanted, and none changes its words", () => {
  const line = sentence`It is ${bad("blocked")}.`;
  expect(shown(line, { colors: true })).toBe("It is \u001b[31mblocked\u001b[0m.");
  expect(shown(line, { colors: false })).toBe("It is blocked.");
});

test("screen: a wrapped line keeps its words in order and fits, unless a word is wider", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "ü", "居"), minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 10, max: 60 }), (all, columns) => {
      const lines = wrapped(
        all.flatMap((it) => [...good(it), { text: " " }]),
        columns,
        2,
      ).map(plainText);
      expect(lines.join(" ").split(/ +/).filter(Boolean)).toEqual(all);
      const breakable = lines.filter((line) => line.trim().includes(" ")).map((line) => widthOf(line.trimEnd()));
      expect(Math.max(0, ...breakable)).toBeLessThanOrEqual(columns);
    }),
  );
});

test("screen: the second column of a wrapped line stays a column", () =>
  expect(page([rich("  Why     the hop Amsterdam is down and nothing leaves")], screen)).toBe(
    "  Why     the hop Amsterdam is down and\n          nothing leaves\n",
  ));

test("screen: what is cut ends with an ellipsis and fits", () =>
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 20 }), (text, columns) => {
      const result = plainText(cut(rich(text), columns));
      expect(widthOf(result)).toBeLessThanOrEqual(Math.max(columns, 1));
      expect(result.endsWith("…") || result === plainText(rich(text))).toBe(true);
    }),
  ));

test("screen: a table wraps the sentence at its end, cuts what is too wide, and leaves out empty columns", () => {
  const column = (label: string, cells: string[], isSentence = false) => ({
    label,
    isSentence,
    cells: cells.map(rich),
  });
  const name = "a device with a very long name indeed";
  expect(
    screenTable(
      [
        column("name", [name, "居間"]),
        column("state", ["", ""]),
        column("reason", ["it is down since noon today", "x"], true),
      ],
      screen,
    ),
  ).toBe("NAME            REASON\na device with…  it is down since noon\n                today\n居間            x\n");
});

test.each([
  ["2026-10-01T11:57:00Z", "3 min ago"],
  ["2026-10-01T12:00:45Z", "in 45 s"],
  ["2026-10-01T08:15:00Z", "08:15"],
  ["2026-09-30T23:59:59Z", "2026-09-30 23:59"],
])("screen: %s is read as %s", (at, text) => expect(timeWords(at, reading, "seen_at")).toBe(text));

test("screen: values are words: yes, sizes, durations, hops in order", () => {
  const text = (field: string, value: unknown) => plainText(words(field, value, reading));
  expect(text("enabled", true)).toBe("yes");
  expect(text("rx_bytes", 1_530_000)).toBe("1.5 MB");
  expect(text("remaining_sec", 5400)).toBe("90 min");
  expect(
    text("hops", [
      { type: "vpn", target: "a" },
      { type: "vpn", target: "b" },
    ]),
  ).toBe("a → b");
  expect(text("x", { coded_reason: { code: "c" }, reason: "r" })).toBe("reason r");
  expect([duration(59), duration(7200), duration(9000), duration(200_000)]).toEqual([
    "59 s",
    "2 h",
    "2 h 30 min",
    "2 days",
  ]);
});
