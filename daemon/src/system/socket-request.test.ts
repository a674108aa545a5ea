import { expect, test } from "vitest";
import { retryUntilOpen } from "./socket-request.ts";

test("a door that opens a little later is found open, and one that stays shut is given up", async () => {
  let knocks = 0;
  const knock = async (): Promise<number> => {
    if ((knocks += 1) < 3) throw new Error("Nobody is there");
    return knocks;
  };
  expect(await retryUntilOpen(knock)).toBe(3);
  expect(await retryUntilOpen(() => Promise.reject(new Error("Nobody is there")), 30)).toBeUndefined();
});
