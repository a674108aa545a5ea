import { expect, test } from "vitest";
import { retryUntilOpen } from "./socket-request.ts";

test("socket request: it is retried until the socket opens, up to a limit", async () => {
  let attempts = 0;
  const knock = async (): Promise<number> => {
    if ((attempts += 1) < 3) throw new Error("connection refused");
    return attempts;
  };
  expect(await retryUntilOpen(knock)).toBe(3);
  expect(await retryUntilOpen(() => Promise.reject(new Error("connection refused")), 30)).toBeUndefined();
});
