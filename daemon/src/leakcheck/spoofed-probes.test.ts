import { parseAddress } from "@portcullis/contract/addresses";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { destinationOf } from "./spoofed-probes.ts";

test("probes of one attack go to places of their own, all of which are nobody's", () => {
  fc.assert(
    fc.property(fc.nat(0xffff_ffff), fc.constantFrom(4 as const, 6 as const), (base, family) => {
      const all = Array.from({ length: 256 }, (_, place) => destinationOf(family, base + place));
      expect(new Set(all).size).toBe(all.length);
      for (const it of all) {
        expect(parseAddress(it)?.family).toBe(family);
        expect(it).toMatch(family === 4 ? /^198\.1[89]\./ : /^2001:2:0:/);
      }
    }),
  );
});
