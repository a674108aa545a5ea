import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listViolations, listCorpus, listFormats, readPieces } from "../../../../testing/list-files.ts";
import { listText } from "../../../../testing/list-fuzz.ts";
import { announceSeed, seed } from "../../../../testing/seed.ts";
import { detectFormat } from "./detect.parse.ts";
import type { Entry, ListFormat } from "./lists.model.ts";
import { parseName } from "./names.parse.ts";

announceSeed("lists");

describe("names", () => {
  test.each([
    ["ads.example", "ads.example"],
    ["ADS.Example.", "ads.example"],
    ["a_b.-c-.example", "a_b.-c-.example"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["Bücher。example", "xn--bcher-kva.example"],
    ["ＡＤＳ.example", "ads.example"],
    [`${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
    [`${"a".repeat(64)}.example`, undefined],
    [`${"ab.".repeat(80)}example`, `${"ab.".repeat(80)}example`],
    [`${"ab.".repeat(90)}example`, undefined],
    ["", undefined],
    [".", undefined],
    ["a..b", undefined],
    [".a.b", undefined],
    ["a.b..", undefined],
    ["192.0.2.1", undefined],
    ["１.２.３.４", undefined],
    ["a.b:80", undefined],
    ["ä@b.example", undefined],
    ["ä%41.example", undefined],
    ["a b.example", undefined],
    ["ä/b.example", undefined],
  ])("%j is read as %j", (text, name) => expect(parseName(text)).toBe(name));

  test("a name that was read is read as itself", () =>
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...Array.from("aZ9.-_äß。٣\u200d")) })),
        (text) => {
          const name = parseName(text);
          expect(parseName(name ?? "")).toBe(name);
        },
      ),
    ));
});

describe("formats", () => {
  test("lists: the format of each list of the corpus is detected", () =>
    expect(listCorpus.map(({ text }) => detectFormat(text))).toEqual(listCorpus.map(({ format }) => format)));

  test("a hosts file gives its names and nothing else", () =>
    expect(parsed("plain.hosts")).toEqual({
      said: [
        "ads.example.com",
        "tracker.example.net",
        "metrics.example.net",
        "tabbed.example.org",
        "old-style.example.org",
        "upper.example.org",
        "sixth.example.org",
        "under_score.example.org",
        "trailing.example.org",
        "xn--bcher-kva.example",
        "-dash.example.org",
      ],
      // Ten of the machine's own at the beginning, its name, a real address, no name, and a broken one.
      skipped: 14,
    }));

  test("lines may end as on Windows", () =>
    expect(parsed("windows.hosts")).toEqual({ said: ["one.example", "two.example"], skipped: 0 }));

  test("bare names are for all below as well", () =>
    expect(parsed("plain.domains")).toEqual({
      said: [
        "ads.example.com +",
        "cdn.example.net *",
        "dotted.example.org +",
        "mixed.example.org +",
        "trailing.example +",
        "xn--bcher-kva.example +",
        "xn--e1afmkfd.example +",
      ],
      skipped: 7,
    }));

  test("of blockers' rules those stay that speak of whole names", () =>
    expect(parsed("plain.adblock")).toEqual({
      said: [
        "ads.example.com +",
        "tracker.example.net +",
        "phish.example.org +",
        "page.example.org +",
        "below.example.com *",
        "upper.example.com +",
        "ends.example.com +",
        "open.example.com +",
        "zip +",
        "@good.example.com +",
        "@good.example.net +",
        "bare.example.com",
        "hosts.example.com",
      ],
      skipped: 20,
    }));

  test("lists: of a response policy zone, only QNAME triggers are used", () =>
    expect(parsed("plain.rpz")).toEqual({
      said: [
        "ads.example.com",
        "ads.example.com *",
        "nodata.example.com",
        "dropped.example.com",
        "@good.example.com",
        "@good.example.com *",
        "@old.example.com",
        "full.example.com",
        "sink.example.com",
        "sink.example.com",
        "moved.example.net",
      ],
      skipped: 8,
    }));

  test("a policy zone may do without an origin", () =>
    expect(parsed("bare.rpz")).toEqual({
      said: ["malware.example.com", "malware.example.com *", "zip", "zip *"],
      skipped: 0,
    }));

  test("a line that is too long is skipped, and the next one is read", () => {
    const text = `${"a".repeat(5000)}.example\nads.example\n`;
    expect(readPieces("domains", text, [100])).toMatchObject({ entries: 1, skipped: 1, lines: 2 });
  });
});

describe("every text whatsoever", () => {
  test.each(["auto", ...listFormats] as const)("%s keeps the promises", (format) => {
    const broken = Array.from({ length: 150 }, (_, turn) => {
      const { text, sizes } = listText(format === "auto" ? listFormats[turn % 4]! : format, seed + turn);
      return listViolations(format, text, sizes).map((violation) => `SEED=${seed + turn}: ${violation}`);
    });
    expect(broken.flat()).toEqual([]);
  });

  test("any characters keep them too", () =>
    fc.assert(
      fc.property(
        fc.constantFrom<ListFormat>("auto", ...listFormats),
        fc.string({
          unit: fc.oneof(fc.constantFrom("\n", ".", "|", "^", " ", "$", "\ud800"), fc.string()),
          maxLength: 300,
        }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
        (format, text, sizes) => {
          expect(listViolations(format, text, sizes)).toEqual([]);
        },
      ),
    ));
});

/** `+`: and below, `*`: only below, `@`: an exception. */
function parsed(file: string): { readonly said: readonly string[]; readonly skipped: number } {
  const { format, text } = listCorpus.find(({ name }) => name === file)!;
  const { found, skipped } = readPieces(format, text, [7, 100]);
  return { said: found.map(shortly), skipped };
}

const shortly = ({ name, scope, isException }: Entry): string =>
  `${isException ? "@" : ""}${name}${{ exact: "", both: " +", below: " *" }[scope]}`;
