import { expect, test } from "vitest";
import { lookup } from "./lookup.ts";

test("a name is found as the machine finds it, and an unknown one is refused", async () => {
  expect(await lookup("localhost")).toContainEqual(expect.stringMatching(/^(?:127\.0\.0\.1|::1)$/));
  // Too long for a name, so that no resolver is bothered.
  await expect(lookup("x".repeat(64))).rejects.toThrow(/ENOTFOUND/);
});

test("many names are looked up in turn", async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => lookup("localhost")));
  expect(all.every((found) => found.length > 0)).toBe(true);
});
