import { expect, test } from "vitest";
import { noUsage, type Usage } from "../../ledger/traffic-rollup.ts";
import { recorder } from "./recorder.ts";

const noon = new Date(2026, 9, 1, 12).getTime();
const usage = (sentBytes: number): Usage => ({ ...noUsage, sentBytes, receivedBytes: 2 * sentBytes, connections: 1 });

function recording() {
  let nowMs = noon;
  const it = recorder({
    store: { write: () => true, today: () => [], forget: () => {} },
    nowMs: () => nowMs,
    beforeWriting: () => {},
  });
  return {
    ...it,
    read: (afterMs: number, sentBytes: number) => {
      nowMs += afterMs;
      const subjects = [
        { kind: "total" as const, id: "", usage: usage(sentBytes) },
        { kind: "tunnel" as const, id: "t", usage: usage(sentBytes) },
        { kind: "device" as const, id: "d", usage: usage(sentBytes) },
      ];
      it.add({ atMs: nowMs, elapsedMs: 5000, subjects, destinations: [] });
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
