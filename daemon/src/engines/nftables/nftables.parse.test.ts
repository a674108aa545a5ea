import { expect, test } from "vitest";
import { canonicalListing } from "./nftables.parse.ts";

const listing = (elem: unknown, packets = 0): string =>
  JSON.stringify({
    nftables: [
      { metainfo: { version: "1.0.6" } },
      { set: { family: "inet", name: "direct_mac", table: "portcullis", type: "ether_addr", handle: packets, elem } },
      { rule: { table: "portcullis", chain: "cut", handle: 7, expr: [{ counter: { packets, bytes: packets * 60 } }] } },
    ],
  });
const element = (expires: number, timeout = 3600) => ({
  elem: { val: "02:00:00:00:00:01", timeout, expires, comment: "exception 1" },
});

test("what changes by itself is no change: the time an element has left, handles, counters, the order of elements", () => {
  const other = "02:00:00:00:00:02";
  expect(canonicalListing(listing([element(3599), other]))).toBe(canonicalListing(listing([other, element(1200)], 99)));
});

test("an element that went, or lives for another time, is a change", () => {
  const before = canonicalListing(listing([element(3599)]));
  expect(canonicalListing(listing([]))).not.toBe(before);
  expect(canonicalListing(listing([element(3599, 7200)]))).not.toBe(before);
});
