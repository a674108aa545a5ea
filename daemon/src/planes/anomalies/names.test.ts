import { expect, test } from "vitest";
import { destinationOf, entropyOf, splitName } from "./names.ts";

test.each([
  ["www.example.com", "example.com", "www"],
  ["a.b.example.co.uk", "example.co.uk", "a.b"],
  ["t.co", "t.co", ""],
  ["x.t.co", "t.co", "x"],
  ["shop.com.au", "shop.com.au", ""],
  ["localhost", "localhost", ""],
])("names: %s is below %s", (name, domain, below) => {
  expect(splitName(name)).toEqual({ domain, below });
});

test("names: a destination is a registered domain, or the network of an address", () => {
  expect(destinationOf("192.0.2.7", "img.shop.example")).toBe("shop.example");
  expect(destinationOf("192.0.2.7", undefined)).toBe("192.0.2.0/24");
  expect(destinationOf("2001:db8:1:2::9", undefined)).toBe("2001:db8:1::/48");
});

test("names: the entropy is that of the characters", () => {
  expect(["", "aaaa", "abab", "abcd"].map(entropyOf)).toEqual([0, 0, 1, 2]);
});
