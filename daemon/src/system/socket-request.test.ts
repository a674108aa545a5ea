import { expect, test } from "vitest";
import { onceOpen } from "./socket-request.ts";

test("a door that opens a little later is found open, and one that stays shut is given up", async () => {
  let knocks = 0;
  const knock = async (): Promise<number> => {
    if ((knocks += 1) < 3) throw new Error("Nobody is there");
    return knocks;
  };
  expect(await onceOpen(knock)).toBe(3);
  expect(await onceOpen(() => Promise.reject(new Error("Nobody is there")), 30)).toBeUndefined();
});
