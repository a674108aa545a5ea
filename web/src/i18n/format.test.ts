import { describe, expect, test } from "vitest";
import { time as inGerman } from "./de/shell.ts";
import { time } from "./en/shell.ts";
import { formatFor, regional } from "./format.ts";

const en = formatFor("en", time);
const de = formatFor("de", inGerman);
const now = new Date("2026-03-02T12:00:00Z");
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);
/** Languages separate number and unit by non-breaking spaces. */
const plain = (text: string) => text.replaceAll(/\s/gu, " ");

describe("format: how long ago", () => {
  test.each([
    [0, "just now", "gerade eben"],
    [1, "just now", "gerade eben"],
    [59, "59 seconds ago", "vor 59 Sekunden"],
    [60, "1 minute ago", "vor 1 Minute"],
    [3599, "59 minutes ago", "vor 59 Minuten"],
    [3600, "1 hour ago", "vor 1 Stunde"],
    [86_399, "23 hours ago", "vor 23 Stunden"],
    [86_400, "1 day ago", "vor 1 Tag"],
    [40 * 86_400, "1 month ago", "vor 1 Monat"],
    [400 * 86_400, "1 year ago", "vor 1 Jahr"],
    [-120, "in 2 minutes", "in 2 Minuten"],
  ])("%d s", (seconds, english, german) => {
    expect(en.ago(before(seconds), now)).toBe(english);
    expect(de.ago(before(seconds), now)).toBe(german);
  });
});

describe("format: sizes and rates", () => {
  test.each([
    [0, "0 B", "0 B"],
    [1023, "1,023 B", "1.023 B"],
    [1536, "1.5 KiB", "1,5 KiB"],
    [150 * 1024, "150 KiB", "150 KiB"],
    [5 * 1024 ** 5, "5,120 TiB", "5.120 TiB"],
  ])("%d bytes", (bytes, english, german) => {
    expect(en.bytes(bytes)).toBe(english);
    expect(de.bytes(bytes)).toBe(german);
  });

  test.each([
    [0, "0 bit/s"],
    [125, "1 kbit/s"],
    [1_562_500, "12.5 Mbit/s"],
    [125_000_000, "1 Gbit/s"],
  ])("%d bytes a second", (rate, text) => {
    expect(en.rate(rate)).toBe(text);
  });

  test("format: milliseconds, shares and numbers", () => {
    expect([en.ms(8.25), en.ms(64.4), de.ms(8.25)]).toEqual(["8.3 ms", "64 ms", "8,3 ms"]);
    expect([en.percent(0.125), plain(de.percent(0.125))]).toEqual(["12.5%", "12,5 %"]);
    expect([en.number(1234.5678), en.number(1234.5678, 1), de.number(1234)]).toEqual(["1,234.568", "1,234.6", "1.234"]);
  });
});

test.each([
  [0, "0 s", "0:00"],
  [59.9, "59 s", "0:59"],
  [95, "1 min", "1:35"],
  [3660, "1 h 1 min", "61:00"],
  [93_784, "1 day 2 h", "1563:04"],
])("%d seconds", (seconds, duration, countdown) => {
  expect(en.duration(seconds)).toBe(duration);
  expect(en.countdown(seconds)).toBe(countdown);
});

test("format: days and lists", () => {
  expect(en.day(new Date(2026, 2, 2))).toBe("Monday, March 2, 2026");
  expect(de.day(new Date(2026, 2, 2))).toBe("Montag, 2. März 2026");
  expect([en.list(["a", "b", "c"]), de.list(["a", "b"])]).toEqual(["a, b, and c", "a und b"]);
});

test("format: axis labels follow the language and the region that the browser prefers", () => {
  const afternoon = new Date(2026, 2, 2, 14, 5);
  const marks = (language: string) => {
    const { minute, date } = formatFor(language, time);
    return [plain(minute(afternoon)), date(afternoon)];
  };
  expect(marks("en-US")).toEqual(["2:05 PM", "Mar 2"]);
  expect(marks("en-GB")).toEqual(["14:05", "2 Mar"]);
  expect(marks("de")).toEqual(["14:05", "2. März"]);
  expect(regional("en", ["de-AT", "en-GB", "en"])).toBe("en-GB");
  expect(regional("de", ["en-GB"])).toBe("de");
});
