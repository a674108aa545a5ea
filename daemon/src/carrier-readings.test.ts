import { expect, test } from "vitest";
import { together, uncarried } from "./carrier-readings.ts";

const ways = (...names: string[]) => ({ ways: names.map((name) => ({ name, interfaces: [] })), splits: [] });
const udpOf = (...names: string[]) => together(uncarried({ name: "office" }, ways(...names)));

test("what a proxy cannot carry is blocked, but for policies that fail open", () => {
  expect(udpOf("/direct", "proxy office")).toBe("blocked");
  expect(udpOf("/direct or proxy office")).toBe("direct");
  expect(udpOf("proxy office", "/direct or proxy office")).toBe("mixed");
});

test("where no policy leads, nothing gets through, whatever others do", () => {
  expect(udpOf()).toBe("blocked");
  expect(udpOf("/direct or proxy other", "/direct or proxy office too")).toBe("blocked");
});

test("of several, one that differs makes a mixture", () => {
  expect(together(["direct", "direct"])).toBe("direct");
  expect(together(["blocked", "direct"])).toBe("mixed");
  expect(together(["mixed"])).toBe("mixed");
});
