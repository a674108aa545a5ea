import { expect, test } from "vitest";
import { noUsage, type Usage } from "../../ledger/traffic-rollup.ts";
import type { DestinationUsage, Minute } from "../../ledger/traffic-store.ts";
import { recorder } from "./recorder.ts";

const noon = new Date(2026, 9, 1, 12).getTime();
const usage = (sentBytes: number): Usage => ({ ...noUsage, sentBytes, receivedBytes: 2 * sentBytes, connections: 1 });

function recording() {
  let nowMs = noon;
  let isWritable = true;
  let saved = 0;
  const writes: { readonly minutes: readonly Minute[]; readonly destinations: readonly DestinationUsage[] }[] = [];
  const it = recorder({
    store: {
      write: (minutes, destinations) => {
        if (isWritable) writes.push({ minutes, destinations });
        return isWritable;
      },
      today: () => [],
      forget: () => {},
    },
    nowMs: () => nowMs,
    beforeWriting: () => void saved++,
  });
  return {
    ...it,
    writes,
    saved: () => saved,
    setWritable: (is: boolean) => (isWritable = is),
    read: (afterMs: number, sentBytes: number) => {
      nowMs += afterMs;
      const subjects = [
        { kind: "total" as const, id: "", usage: usage(sentBytes) },
        { kind: "tunnel" as const, id: "t", usage: usage(sentBytes) },
        { kind: "device" as const, id: "d", usage: usage(sentBytes) },
      ];
      it.add({
        atMs: nowMs,
        elapsedMs: 5000,
        subjects,
        destinations: [{ device: "d", destination: "a.example", ...usage(sentBytes) }],
      });
      it.writeIfDue();
    },
  };
}

test("traffic: sums since the start go on at midnight and after a removal of a device, and have no device", () => {
  const it = recording();
  const total = () => it.sinceStart().get("total ");
  expect(total()).toBeUndefined();
  it.read(5000, 100);
  it.read(5000, 50);
  expect(total()).toEqual({ ...usage(150), connections: 2 });
  expect([...it.sinceStart().keys()]).toEqual(["total ", "tunnel t"]);
  it.read(13 * 3_600_000, 10);
  it.forget("d", "everything");
  expect(it.today().find(({ kind }) => kind === "total")?.usage).toEqual(usage(10));
  expect(total()).toEqual({ ...usage(160), connections: 3 });
});

test("traffic: ten minutes are written together and destinations once an hour; until then they are answered from memory", () => {
  const it = recording();
  const minutes = () => it.pending({ kind: "device", id: "d" }, "minute").map(({ sentBytes }) => sentBytes);
  for (let minute = 1; minute <= 9; minute += 1) it.read(60_000, minute);
  expect([it.writes.length, it.saved(), minutes()]).toEqual([0, 0, [1, 2, 3, 4, 5, 6, 7, 8, 9]]);
  it.read(60_000, 10);
  expect([it.writes[0]!.minutes.length, it.writes[0]!.destinations, it.saved(), minutes()]).toEqual([10, [], 1, []]);
  for (let minute = 11; minute <= 60; minute += 1) it.read(60_000, minute);
  expect(it.writes.map((one) => [one.minutes.length, one.destinations.length])).toEqual([
    ...Array.from({ length: 5 }, () => [10, 0]),
    [10, 1],
  ]);
  const sum = it.writes
    .flatMap((one) => one.minutes)
    .flatMap(({ subjects }) => subjects.filter(({ kind }) => kind === "device"))
    .reduce((all, one) => all + one.usage.sentBytes, 0);
  expect([sum, it.writes.at(-1)!.destinations[0]?.sentBytes]).toEqual([1830, 1830]);
  it.read(60_000, 61);
  it.forget("d", "everything");
  expect(minutes()).toEqual([]);
});

test("traffic: what could not be written is kept and written later, complete, and takes no more memory after an hour", () => {
  const it = recording();
  it.setWritable(false);
  for (let minute = 0; minute < 200; minute += 1) it.read(60_000, 1);
  expect(it.pending({ kind: "device", id: "d" }, "minute").length).toBeLessThanOrEqual(61);
  it.setWritable(true);
  expect(it.flush()).toBe(true);
  const written = it.writes.flatMap((one) => one.minutes).flatMap(({ subjects }) => subjects);
  expect(written.filter(({ kind }) => kind === "device").reduce((all, one) => all + one.usage.sentBytes, 0)).toBe(200);
});

test("traffic: however many devices and destinations there are, what a full disk holds back is bounded, complete, and tried every ten minutes", () => {
  let nowMs = noon;
  let isWritable = false;
  const tries: Minute[][] = [];
  const it = recorder({
    store: { write: (minutes) => (tries.push([...minutes]), isWritable), today: () => [], forget: () => {} },
    nowMs: () => nowMs,
    beforeWriting: () => {},
  });
  const devices = Array.from({ length: 3000 }, (_, n) => `d${n}`);
  const minutes = 16;
  for (let minute = 0; minute < minutes; minute += 1) {
    nowMs += 60_000;
    it.add({
      atMs: nowMs,
      elapsedMs: 5000,
      subjects: devices.map((id) => ({ kind: "device", id, usage: usage(1) })),
      destinations: devices.map((device) => ({ device, destination: `${minute}.example`, ...usage(1) })),
    });
    it.writeIfDue();
  }
  expect(tries.length).toBe(2);
  const pending = it.pendingDestinations(undefined);
  expect(pending.length).toBeLessThanOrEqual(40_000 + devices.length);
  expect(pending.length).toBeGreaterThan(40_000);
  expect(pending.reduce((sum, { sentBytes }) => sum + sentBytes, 0)).toBe(minutes * devices.length);
  isWritable = true;
  expect(it.flush()).toBe(true);
  const written = tries.at(-1)!.flatMap(({ subjects }) => subjects.filter(({ kind }) => kind === "device"));
  expect(written.length).toBeLessThanOrEqual(30_000 + devices.length);
  expect(written.reduce((sum, one) => sum + one.usage.sentBytes, 0)).toBe(minutes * devices.length);
});
