import { endpoint } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import fc from "fast-check";
import Type from "typebox";
import { describe, expect, test } from "vitest";
import { createApiServer } from "../../../testing/api-server.ts";
import { heapAfterCollection } from "../../../testing/memory.ts";
import { announceSeed } from "../../../testing/seed.ts";
import { rateLimit } from "./limits.ts";

announceSeed("limits");

/** A minute in fake time: when each request came, and whether it was let in. */
function play(perMinute: number, gapsMs: readonly number[]): { atMs: number; admitted: boolean; waitSec: number }[] {
  let nowMs = 0;
  const limit = rateLimit(perMinute, () => nowMs);
  return gapsMs.map((gapMs) => {
    nowMs += gapMs;
    const waitSec = limit.take("client");
    return { atMs: nowMs, admitted: waitSec === undefined, waitSec: waitSec ?? 0 };
  });
}
const perMinute = fc.integer({ min: 1, max: 600 });
const gaps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 90_000 })), {
  minLength: 50,
  maxLength: 400,
  size: "max",
});

test("rate limit: no window of time lets more in than a full bucket and what refilled meanwhile", () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), gaps, (most, gapsMs) => {
      const times = play(most, gapsMs)
        .filter(({ admitted }) => admitted)
        .map(({ atMs }) => atMs);
      const excess = times.flatMap((from, first) =>
        times.slice(first).map((to, more) => more + 1 - (most + ((to - from) * most) / 60_000)),
      );
      expect(Math.max(0, ...excess)).toBeLessThan(1e-6);
    }),
    { numRuns: 50 },
  ));

test("rate limit: who comes no faster than the limit is never refused", () =>
  fc.assert(
    fc.property(perMinute, fc.integer({ min: 1, max: 300 }), (most, requests) => {
      const evenly = Array.from({ length: requests }, () => Math.ceil(60_000 / most));
      expect(play(most, evenly).every(({ admitted }) => admitted)).toBe(true);
    }),
  ));

test("rate limit: who waits as long as was said is let in, and the wait is at least a second", () =>
  fc.assert(
    fc.property(perMinute, gaps, (most, gapsMs) => {
      let nowMs = 0;
      const limit = rateLimit(most, () => nowMs);
      const take = () => limit.take("client");
      const waits = gapsMs.flatMap((gapMs) => {
        nowMs += gapMs;
        const waitSec = take();
        if (waitSec === undefined) return [];
        nowMs += waitSec * 1000;
        return [{ waitSec, again: take() }];
      });
      expect(waits.filter(({ waitSec, again }) => waitSec < 1 || waitSec > 60 || again !== undefined)).toEqual([]);
    }),
  ));

test("rate limit: the wait is enough to the last fraction, after odd pauses too (seed 2146131842)", () => {
  let nowMs = 0;
  const limit = rateLimit(6, () => nowMs);
  const pausesMs = [...Array<number>(19).fill(0), 60_000, 709, 0, 0, 892, 0, 0, 3, 1, 0, 0, 382, 2, 0, 0, 11, 0, 0];
  for (const pauseMs of pausesMs) {
    nowMs += pauseMs;
    const waitSec = limit.take("client");
    if (waitSec === undefined) continue;
    nowMs += waitSec * 1000;
    expect(limit.take("client")).toBeUndefined();
  }
});

test("a refused request costs nothing: who hammers waits no longer than who does not", () => {
  let nowMs = 0;
  const limit = rateLimit(1, () => nowMs);
  expect(limit.take("hammer")).toBeUndefined();
  for (; nowMs < 59_000; nowMs += 100) expect(limit.take("hammer")).toBeGreaterThan(0);
  nowMs = 60_000;
  expect(limit.take("hammer")).toBeUndefined();
});

test("rate limit: keys have independent buckets", () =>
  fc.assert(
    fc.property(perMinute, fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 20 }), (most, [first, ...others]) => {
      const limit = rateLimit(most, () => 0);
      const admitted = (key: string) => Array.from({ length: most + 1 }, () => limit.take(key) === undefined);
      const expected = Array.from({ length: most + 1 }, (_, place) => place < most);
      expect(admitted(first!)).toEqual(expected);
      for (const other of others) expect(admitted(other)).toEqual(expected);
    }),
  ));

test("rate limit: a flood of keys does not grow memory", () => {
  let nowMs = 0;
  const limit = rateLimit(60, () => nowMs);
  const flood = (from: number) => {
    for (let otherClient = from; otherClient < from + 100_000; otherClient += 1) {
      nowMs += 0.01;
      limit.take(`2001:db8::${otherClient.toString(16)}`);
    }
  };
  flood(0);
  const before = heapAfterCollection();
  flood(1_000_000);
  expect(heapAfterCollection() - before).toBeLessThan(2 << 20);
  expect(limit.take("new client")).toBeUndefined();
});

test("rate limit: a flood of keys does not evict an active one", () => {
  const limit = rateLimit(2, () => 0);
  const busy = () => limit.take("busy");
  expect([busy(), busy(), busy()]).toEqual([undefined, undefined, expect.any(Number)]);
  for (let turn = 0; turn < 10; turn += 1) {
    for (let otherClient = 0; otherClient < 5000; otherClient += 1) limit.take(`${turn} ${otherClient}`);
    expect(busy()).toEqual(expect.any(Number));
  }
});

describe("rate limit: API server", () => {
  const quick = endpoint({
    method: "GET",
    path: "/quick",
    role: "viewer",
    summary: "Quick",
    result: Type.Boolean(),
    errors: [],
  });
  const guess = endpoint({ ...quick, method: "POST", path: "/guess", role: "anyone", throttled: true });

  function server() {
    const clock = { nowMs: 0 };
    const app = createApiServer(
      { one: { quick, guess } },
      {
        one: {
          quick: () => true,
          guess: () => {
            throw new Problem("unauthorized");
          },
        },
      },
      {
        limits: { requestsPerMinute: 4, loginsPerMinute: 2 },
        nowMs: () => clock.nowMs,
        identify: ({ authorization }) =>
          authorization === undefined
            ? undefined
            : { actor: authorization, role: "viewer", via: "key", credentialId: authorization },
      },
    );
    const ask = async (method: "GET" | "POST", url: string, authorization?: string, remoteAddress = "10.0.0.1") => {
      const headers = { host: "localhost", ...(authorization && { authorization }) };
      const { statusCode, headers: got } = await app.inject({ method, url: `/api/v1${url}`, headers, remoteAddress });
      return got["retry-after"] === undefined ? statusCode : [statusCode, Number(got["retry-after"])];
    };
    return { clock, ask };
  }

  test("each credential and each address has a bucket of its own", async () => {
    const { ask } = server();
    for (const who of ["a", "b"]) {
      for (let turn = 0; turn < 4; turn += 1) expect(await ask("GET", "/quick", who)).toBe(200);
      expect(await ask("GET", "/quick", who)).toEqual([429, 15]);
    }
    expect(await ask("GET", "/quick")).toBe(401);
    expect(await ask("GET", "/quick", "a", "10.0.0.2")).toEqual([429, 15]);
  });

  test("who has no credential is counted by address, refusals included", async () => {
    const { ask } = server();
    for (let turn = 0; turn < 4; turn += 1) expect(await ask("GET", "/quick")).toBe(401);
    expect(await ask("GET", "/quick")).toEqual([429, 15]);
    expect(await ask("GET", "/quick", undefined, "10.0.0.2")).toBe(401);
    expect(await ask("GET", "/quick", "a")).toBe(200);
  });

  test("after the reported wait the next request is accepted", async () => {
    const { ask, clock } = server();
    for (let turn = 0; turn < 4; turn += 1) await ask("GET", "/quick", "a");
    expect(await ask("GET", "/quick", "a")).toEqual([429, 15]);
    clock.nowMs += 14_999;
    expect(await ask("GET", "/quick", "a")).toEqual([429, 1]);
    clock.nowMs += 1;
    expect(await ask("GET", "/quick", "a")).toBe(200);
  });

  test("guesses are slower than everything else, whichever credential comes along", async () => {
    const { ask } = server();
    expect([await ask("POST", "/guess"), await ask("POST", "/guess")]).toEqual([401, 401]);
    expect(await ask("POST", "/guess")).toEqual([429, 30]);
    expect(await ask("POST", "/guess", "a")).toEqual([429, 30]);
    expect(await ask("POST", "/guess", undefined, "10.0.0.2")).toBe(401);
    expect(await ask("GET", "/quick", "b")).toBe(200);
  });
});
