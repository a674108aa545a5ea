import type { EventName } from "@portcullis/contract/events";
import { because, type Reason } from "@portcullis/contract/reason";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CountedTargets } from "../../engines/nftables/scans/scans.engine.ts";
import type { Target } from "../../engines/nftables/scans/scans.parse.ts";
import type { System } from "../../system/system.ts";
import { openScansPlane } from "./scans.plane.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const mac = "02:00:00:00:00:01";
const targets: readonly Target[] = Array.from({ length: 60 }, (_, index) => ({
  mac,
  address: "203.0.113.5",
  protocol: "tcp",
  port: index + 1,
  ageSec: 2,
}));

/** A kernel with these records, and the planes of one daemon after the other. */
function machine() {
  const files = new Map<string, string>();
  const system = {
    readText: (path: string) => files.get(path),
    writeAtomically: (path: string, text: string) => void files.set(path, text),
  } as Partial<System> as System;
  const kernel: { counts: CountedTargets | undefined; failure?: Error } = { counts: undefined };
  const announced: (readonly [EventName, unknown])[] = [];
  const warnings: string[] = [];
  const startMs = 1_000_000;
  let nowMs = startMs;
  let off: Reason | null = null;
  const open = (isShown = true) =>
    openScansPlane({
      system,
      runFolder: "/run/portcullis",
      scans: {
        counted: async () => {
          if (kernel.failure) throw kernel.failure;
          return kernel.counts;
        },
        targets: async () => targets.map((it) => ({ ...it, ageSec: Math.ceil((nowMs - startMs) / 1000) + it.ageSec })),
      },
      notRecorded: () => off,
      deviceOf: (it) => (it === mac ? { id: "id-1", name: "TV", isShown } : undefined),
      announce: (name, payload) => void announced.push([name, payload]),
      sinceBootMs: () => nowMs,
      warn: (message) => void warnings.push(message),
    });
  return {
    kernel,
    announced,
    warnings,
    open,
    pass: async (sec: number) => {
      nowMs += sec * 1000;
      await vi.advanceTimersByTimeAsync(sec * 1000);
    },
    switchOff: (reason: Reason) => void (off = reason),
  };
}
const scanned = (unrecorded = 0): CountedTargets => ({ senders: [{ mac, targets: 60 }], unrecorded });

test("port scans: a scan is an event with its device and examples, once, also for the next daemon", async () => {
  const { kernel, announced, open, pass } = machine();
  kernel.counts = scanned();
  const first = open();
  await pass(1);
  const ports = [1, 13, 25, 37, 49];
  const examples = ports.map((port) => `203.0.113.5:${port}/tcp`);
  const event = ["device.port_scan", { device_id: "id-1", name: "TV", targets: 60, examples }];
  expect(announced).toEqual([event]);
  await pass(60);
  await first.close();
  const next = open();
  await pass(60);
  await next.close();
  expect(announced).toEqual([event]);
});

test("port scans: without permission for destinations there are no examples", async () => {
  const { kernel, announced, open, pass } = machine();
  kernel.counts = scanned();
  const plane = open(false);
  await pass(1);
  await plane.close();
  expect(announced).toEqual([["device.port_scan", { device_id: "id-1", name: "TV", targets: 60, examples: [] }]]);
});

test("port scans: packets that were not recorded are reported at most every ten minutes, and none is lost", async () => {
  const { kernel, announced, open, pass } = machine();
  const at = async (unrecorded: number, sec: number) => {
    kernel.counts = { senders: [], unrecorded };
    await pass(sec);
  };
  const plane = open();
  await at(5, 10);
  expect(announced).toEqual([]);
  expect(plane.component().status).toBe("ok");
  await at(8, 10);
  expect(plane.component().status).toBe("degraded");
  await at(20, 580);
  expect(announced).toEqual([["port_scan.incomplete", { packets: 3 }]]);
  await at(20, 40);
  expect(announced.slice(1)).toEqual([["port_scan.incomplete", { packets: 12 }]]);
  await at(20, 901);
  await plane.close();
  expect(plane.component().status).toBe("ok");
});

test("port scans: the component says whether the records are read; a failure is logged once", async () => {
  const { kernel, warnings, open, pass, switchOff } = machine();
  const plane = open();
  const shown = () => `${plane.component().status}: ${plane.component().message}`;
  await pass(10);
  expect(shown()).toBe("ok: The new connections of devices have not been read yet");
  kernel.failure = new Error("nft: no such table");
  await pass(30);
  expect(shown()).toMatch(/^degraded: Port scans are not found: .*nft: no such table/);
  expect(warnings).toHaveLength(1);
  delete kernel.failure;
  kernel.counts = { senders: [], unrecorded: 0 };
  await pass(10);
  expect(shown()).toBe("ok: New connections are compared; within 15 minutes 0 devices opened some");
  switchOff(because("dataplane_disabled"));
  expect(plane.component().status).toBe("off");
  await plane.close();
});
