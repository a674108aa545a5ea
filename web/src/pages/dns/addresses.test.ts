import { expect, test } from "vitest";
import { dnsLink, isAddress, linkOfCause } from "./addresses.ts";

test("DNS address: empty parameters are omitted", () => {
  expect(dnsLink("log", { name: "a b", client: "", verdict: null })).toBe("/dns?tab=log&name=a+b");
});

test("DNS address: IP addresses are distinguished from device names", () => {
  expect(["10.0.0.1", "fd00::1", "::1", "::ffff:10.0.0.1"].map(isAddress)).toEqual([true, true, true, true]);
  expect(["Kitchen TV", "10.0.0", "tv", "cafe"].map(isAddress)).toEqual([false, false, false, false]);
});

test("DNS address: a deciding entry has an address if a tab shows it", () => {
  expect(linkOfCause("dns_list", "Ads")).toBe("/dns?tab=lists&find=Ads");
  expect(linkOfCause("dns_rewrite", "nas.home")).toBe("/dns?tab=rules&find=nas.home");
  expect(linkOfCause("device", "TV")).toBeUndefined();
});
