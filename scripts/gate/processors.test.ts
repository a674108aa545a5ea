import { pbkdf2Sync } from "node:crypto";
import { expect, test } from "vitest";
import { busyTicks, ownTicks, processorTime, shareOfOthers } from "./processors.ts";

test("gate: busy time is that of all states but idle and iowait", () => {
  expect(busyTicks("cpu  10 2 30 1000 500 4 5 6 7 8\ncpu0 1 1 1 1 1 1 1 1 1 1\n")).toBe(57);
});

test("gate: the time of children counts as own, whatever the program is called", () => {
  const after = Array.from({ length: 30 }, () => "0");
  expect(ownTicks(`7 (a) b) S 1 7 7 0 -1 4194304 1 2 3 4 10 20 300 4000 ${after.join(" ")}`)).toBe(4330);
});

test("gate: what others used is the busy time without the own one, as a share of all processors", () => {
  const before = { busySec: 100, ownSec: 10, elapsedSec: 0 };
  expect(shareOfOthers(before, { busySec: 115, ownSec: 20, elapsedSec: 10 }, 2)).toBe(0.25);
  expect(shareOfOthers(before, { busySec: 109.9, ownSec: 20, elapsedSec: 10 }, 2)).toBe(0);
});

test("gate: this machine reports times that grow", () => {
  const [before, used] = [processorTime(), process.cpuUsage()];
  // Processor time, not elapsed time: on a busy machine the one grows without the other.
  while (process.cpuUsage().user < used.user + 50_000) pbkdf2Sync("processors", "salt", 1000, 32, "sha512");
  const after = processorTime();
  expect(after.ownSec).toBeGreaterThan(before.ownSec);
  expect(after.busySec).toBeGreaterThan(before.busySec);
});
