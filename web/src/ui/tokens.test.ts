import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const css = readFileSync(new URL("tokens.css", import.meta.url), "utf8");

/** Each colour with its light and its dark value. */
const tokens: ReadonlyMap<string, { readonly light: string; readonly dark: string }> = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(([, name, light, dark]) => [
    name!,
    { light: light!, dark: dark! },
  ]),
);

const themes = ["light", "dark"] as const;
const grounds = ["ground", "card", "raised", "sunken"];
const states = ["protected", "blocked", "direct", "leaking", "unknown"];
const series = ["series-1", "series-2", "series-3"];
const texts = ["text", "quiet", "accent", "protected", "blocked", "direct", "leaking", "unknown"];

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const pairs = (fronts: readonly string[], backs: readonly string[]) =>
  themes.flatMap((theme) => fronts.flatMap((front) => backs.map((back) => ({ theme, front, back }))));
const ratio = ({ theme, front, back }: { theme: (typeof themes)[number]; front: string; back: string }) =>
  contrast(tokens.get(front)![theme], tokens.get(back)![theme]);

test("contrast: the formula is right, and every colour was read", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  const soft = [...states, "accent"].map((it) => `${it}-soft`);
  const others = ["edge", "line", "line-strong", "on-accent", "on-leaking"];
  expect([...tokens.keys()].toSorted()).toEqual([...grounds, ...texts, ...soft, ...series, ...others].toSorted());
});

describe("contrast AA", () => {
  test.each(pairs(texts, grounds))("$theme: $front on $back is readable", (pair) => {
    expect(ratio(pair)).toBeGreaterThanOrEqual(4.5);
  });

  test.each(pairs(["on-accent"], ["accent"]))("$theme: $front on $back is readable", (pair) => {
    expect(ratio(pair)).toBeGreaterThanOrEqual(4.5);
  });

  test.each([...states, "accent"].flatMap((it) => pairs([it, "text", "quiet"], [`${it}-soft`])))(
    "$theme: $front on $back is readable",
    (pair) => {
      expect(ratio(pair)).toBeGreaterThanOrEqual(4.5);
    },
  );

  test.each(pairs(["on-leaking"], ["leaking"]))("$theme: $front on $back is readable", (pair) => {
    expect(ratio(pair)).toBeGreaterThanOrEqual(4.5);
  });

  test.each(pairs(series, ["card"]))("$theme: the line $front of a chart is visible on $back", (pair) => {
    expect(ratio(pair)).toBeGreaterThanOrEqual(3);
  });

  test.each(pairs(["edge"], grounds))("$theme: the $front of a control is visible on $back", (pair) => {
    expect(ratio(pair)).toBeGreaterThanOrEqual(3);
  });
});
