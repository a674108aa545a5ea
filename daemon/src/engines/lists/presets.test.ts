import { expect, test } from "vitest";
import { presets } from "./presets.model.ts";

test("each preset has a name and an address of its own, and none is fetched in the open", () => {
  expect(new Set(presets.map(({ name }) => name)).size).toBe(presets.length);
  expect(new Set(presets.map(({ url }) => url)).size).toBe(presets.length);
  expect(presets.filter(({ url, about }) => !url.startsWith("https://") || !about.startsWith("https://"))).toEqual([]);
});
