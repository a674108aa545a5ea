import { expect, test } from "vitest";
import { fullName } from "./record-names.ts";

test("DNS record: the name is relative to its zone", () => {
  expect(fullName("nas", "home.arpa")).toBe("nas.home.arpa");
});

test("DNS record: the zone itself may be written as @ or in full", () => {
  expect([fullName("@", "home.arpa"), fullName("", "home.arpa"), fullName("home.arpa.", "home.arpa")]).toEqual([
    "home.arpa",
    "home.arpa",
    "home.arpa",
  ]);
  expect(fullName("nas.home.arpa.", "home.arpa")).toBe("nas.home.arpa");
});
