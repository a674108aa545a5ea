import type { DnsLogEntry } from "@portcullis/contract/subsystems/dns-log";
import { expect, test } from "vitest";
import { appended, follow, jumped, maxKept, maxPageRows, started } from "./log-buffer.ts";

const row = (id: number): DnsLogEntry => ({
  id,
  timestamp: "2026-03-01T12:00:00Z",
  client: "10.0.0.11",
  device_id: null,
  device_name: null,
  name: `n${id}.example`,
  type: "A",
  rcode: "NOERROR",
  verdict: "none",
  cause: null,
  answered_by: "cache",
  egress_number: 0,
  latency_ms: 1,
  answers: 1,
});
const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => row(from + at));
const ids = ({ rows: shown }: { readonly rows: readonly DnsLogEntry[] }) => shown.map(({ id }) => id);

/** A fake log with these ids that responds as the gateway does. */
function logOf(to: number) {
  let [end, requests] = [to, 0];
  return {
    grow: (more: number) => void (end += more),
    requests: () => requests,
    read: ({ after, limit }: { readonly after?: number; readonly limit: number }) => {
      requests += 1;
      if (after === undefined) return Promise.resolve(rows(Math.max(1, end - limit + 1), end).toReversed());
      return Promise.resolve(rows(after + 1, Math.min(end, after + limit)));
    },
  };
}

test("log buffer: new rows are put above the existing ones", () => {
  expect(ids(appended(started([row(2), row(1)]), [row(3), row(4)]))).toEqual([4, 3, 2, 1]);
});

test("log buffer: no new rows change nothing", () => {
  const buffer = started([row(2)]);
  expect(appended(buffer, [])).toBe(buffer);
  expect(jumped(buffer, [row(2)])).toBe(buffer);
});

test("log buffer: only the newest rows are kept", () => {
  const buffer = appended(started(rows(1, 200).toReversed()), rows(201, maxKept + 500));
  expect(buffer.rows).toHaveLength(maxKept);
  expect(buffer.rows[0]?.id).toBe(maxKept + 500);
});

test("log buffer: a jump reports the number of skipped rows", () => {
  const buffer = jumped(started([row(10)]), [row(22), row(21)]);
  expect([ids(buffer), buffer.last, buffer.skipped]).toEqual([[22, 21], 22, 10]);
  expect(jumped(started([row(10)]), [row(12), row(11), row(10)]).skipped).toBe(0);
});

test("log buffer: following misses no row as long as it keeps up", async () => {
  const log = logOf(5);
  const first = await follow(log.read, undefined);
  log.grow(maxPageRows + 7);
  const next = await follow(log.read, first);
  expect([next.last, next.skipped, next.rows.length]).toEqual([maxPageRows + 12, 0, maxPageRows + 12]);
  expect(new Set(ids(next)).size).toBe(next.rows.length);
});

test("log buffer: a reader that falls behind continues at the newest row and reports the skipped ones", async () => {
  const log = logOf(5);
  const first = await follow(log.read, undefined);
  log.grow(10_000);
  const next = await follow(log.read, first);
  expect([next.last, next.skipped]).toEqual([10_005, 10_000 - 4 * maxPageRows]);
  expect(log.requests()).toBe(5);
});

test("log buffer: an empty log is followed from its first row", async () => {
  const log = logOf(0);
  const first = await follow(log.read, undefined);
  log.grow(2);
  expect(ids(await follow(log.read, first))).toEqual([2, 1]);
});
