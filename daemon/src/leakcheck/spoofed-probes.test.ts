import { parseAddress } from "../net/addresses.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { destinationOf } from "./spoofed-probes.ts";

test("probe destinations: consecutive numbers give distinct addresses of the benchmarking networks", () => {
  fc.assert(
    fc.property(fc.nat(0xffff_ffff), fc.constantFrom(4 as const, 6 as const), (base, family) => {
      const all = Array.from({ length: 256 }, (_, index) => destinationOf(family, base + index));
      expect(new Set(all).size).toBe(all.length);
      for (const it of all) {
        expect(parseAddress(it)?.family).toBe(family);
        expect(it).toMatch(family === 4 ? /^198\.1[89]\./ : /^2001:2:0:/);
      }
    }),
  );
});
