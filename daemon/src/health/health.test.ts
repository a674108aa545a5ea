import { because } from "@portcullis/contract/reason";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { linux, type System } from "../system/system.ts";
import { type Condition, openHealth, type MonitoredLink } from "./health.ts";
import { openSavedState } from "./saved-state.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const link: MonitoredLink = {
  key: "nl",
  name: "nl",
  device: "wg0",
  present: true,
  wanted: true,
  inUse: true,
  mark: 17,
  targets: ["10.0.0.1"],
};

/** A machine with one interface, targets that answer or not, and a fake ping with the output of the real one. */
function machine() {
  const world = {
    answering: new Set(["10.0.0.1"]),
    index: 7,
    isThere: true,
    boot: "first",
    sent: 0,
    received: 0,
    chance: 0,
  };
  const disk = new Map<string, string>();
  const streams = new Map<object, string>();
  const bursts: string[] = [];
  const sysfs = (): Record<string, string> => ({
    ifindex: `${world.index}\n`,
    operstate: "unknown\n",
    "statistics/tx_packets": `${world.sent}\n`,
    "statistics/rx_packets": `${world.received}\n`,
  });
  const system: System = {
    ...linux,
    readText: (path) => {
      if (path === "/proc/sys/kernel/random/boot_id") return `${world.boot}\n`;
      if (!path.startsWith("/sys/class/net/")) return disk.get(path);
      return world.isThere && path.startsWith("/sys/class/net/wg0/") ? sysfs()[path.slice(19)] : undefined;
    },
    writeAtomically: (path, text) => void disk.set(path, text),
    follow: (_, args, onLine, onGap) => {
      const [target, everyMs, bornOn] = [args.at(-1)!, Number(args[3]) * 1000, world.index];
      let sequence = 0;
      onGap?.();
      const sending = setInterval(() => {
        const answers = world.answering.has(target) && world.isThere && bornOn === world.index;
        sequence += 1;
        onLine(
          answers ? `16 bytes from ${target}: icmp_seq=${sequence} ttl=64` : `no answer yet for icmp_seq=${sequence}`,
        );
      }, everyMs);
      const stream = {
        stop: () => {
          clearInterval(sending);
          streams.delete(stream);
        },
      };
      streams.set(stream, `${target} ${everyMs}`);
      return stream;
    },
    run: async (_, args, { timeoutMs = 0 } = {}) => {
      const target = args.at(-1)!;
      // A single probe is timed: one to the machine itself takes no time, others a round trip.
      if (target === "127.0.0.1") return "";
      if (args.includes("-w")) bursts.push(target);
      const isAnswered = world.answering.has(target);
      await new Promise((resolve) => setTimeout(resolve, isAnswered ? 5 : timeoutMs));
      if (!isAnswered) throw new Error("ping: killed");
      return "";
    },
  };
  const events: string[] = [];
  const open = () =>
    openHealth({
      system,
      nowMs: () => Date.now(),
      now: () => new Date(),
      savedState: openSavedState({ system, file: "state.json" }),
      onChange: (key, { status }: Condition, before) => events.push(`${key}: ${before.status} → ${status}`),
      onFlap: (key) => events.push(`${key} flaps`),
      onFailed: (key, times) => events.push(`${key} fails, ${times}`),
      random: () => world.chance,
    });
  return { world, disk, streams, bursts, events, open };
}

test("health: a link comes up, fails, is reported as failed repeatedly, and recovers", async () => {
  const { world, events, open } = machine();
  const health = open();
  health.monitor([link]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(health.condition("nl")).toMatchObject({ status: "up", healthy: true, rttMs: 5, loss: 0, changes: 2 });
  world.answering.clear();
  await vi.advanceTimersByTimeAsync(10_500);
  expect(health.condition("nl")).toMatchObject({ status: "failed", healthy: false });
  world.answering.add("10.0.0.1");
  await vi.advanceTimersByTimeAsync(1500);
  expect(events).toEqual([
    "nl: down → connecting",
    "nl: connecting → up",
    "nl: up → failed",
    "nl fails, 1",
    "nl fails, 2",
    "nl fails, 3",
    "nl: failed → up",
  ]);
  health.close();
});

test("health: the time of the last probe is absent before the first, and does not change while none is sent", async () => {
  const { world, open } = machine();
  const health = open();
  health.monitor([link]);
  expect(health.condition("nl")!.probedAtMs).toBeUndefined();
  await vi.advanceTimersByTimeAsync(2000);
  const before = health.condition("nl")!.probedAtMs!;
  expect(Date.now() - before).toBeLessThan(1000);
  world.isThere = false; // No probes are sent through an interface that is gone.
  await vi.advanceTimersByTimeAsync(1000);
  const last = health.condition("nl")!.probedAtMs!;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(health.condition("nl")!.probedAtMs).toBe(last);
  health.close();
});

test("health: an unchanged link keeps its probe process, another interval replaces it, a disabled link has none", async () => {
  const { streams, open } = machine();
  const health = open();
  health.monitor([link]);
  await vi.advanceTimersByTimeAsync(1000);
  const [stream] = [...streams.keys()];
  health.monitor([{ ...link }]);
  expect([...streams]).toEqual([[stream, "10.0.0.1 500"]]);
  health.monitor([{ ...link, inUse: false }]);
  expect([...streams.values()]).toEqual(["10.0.0.1 2000"]);
  health.monitor([{ ...link, wanted: false }]);
  expect(streams.size).toBe(0);
  expect(health.condition("nl")?.status).toBe("down");
  health.monitor([]);
  expect(health.conditions().size).toBe(0);
  health.close();
});

test("health: all targets are probed until one answers, and another one is used when that stops answering", async () => {
  const { world, streams, events, open } = machine();
  world.answering = new Set(["10.0.0.3"]);
  const health = open();
  health.monitor([{ ...link, targets: ["10.0.0.2", "10.0.0.3"] }]);
  expect([...streams.values()]).toEqual(["10.0.0.2 300", "10.0.0.3 300"]);
  await vi.advanceTimersByTimeAsync(1000);
  expect([...streams.values()]).toEqual(["10.0.0.3 500"]);
  world.answering = new Set(["10.0.0.2"]);
  await vi.advanceTimersByTimeAsync(8000);
  expect([...streams.values()]).toEqual(["10.0.0.2 500"]);
  expect(events).toEqual(["nl: down → connecting", "nl: connecting → up"]);
  health.close();
});

test("health: a link fails when its interface is gone, and another interface of the same name gets new probes", async () => {
  const { world, streams, open } = machine();
  const health = open();
  health.monitor([link]);
  await vi.advanceTimersByTimeAsync(1000);
  world.isThere = false;
  await vi.advanceTimersByTimeAsync(250);
  expect(health.condition("nl")).toMatchObject({ status: "failed", reason: because("link_interface_gone") });
  expect(streams.size).toBe(0);
  [world.isThere, world.index] = [true, 8];
  await vi.advanceTimersByTimeAsync(1500);
  expect(health.condition("nl")?.status).toBe("up");
  world.index = 9;
  await vi.advanceTimersByTimeAsync(3000);
  expect(health.condition("nl")).toMatchObject({ status: "up", changes: 4 });
  expect(health.condition("nl")?.loss).toBeLessThan(0.2);
  health.close();
});

test("health: traffic without replies starts a burst at once", async () => {
  const { world, bursts, open } = machine();
  const health = open();
  health.monitor([{ ...link, inUse: false }]);
  await vi.advanceTimersByTimeAsync(3000);
  expect(bursts).toEqual([]);
  const busy = setInterval(() => (world.sent += 10), 50);
  await vi.advanceTimersByTimeAsync(1000);
  expect(bursts).toEqual(["10.0.0.1"]);
  await vi.advanceTimersByTimeAsync(4000);
  expect(bursts).toHaveLength(1);
  clearInterval(busy);
  health.close();
});

test("health: the next daemon starts with the saved states until its probes have a result", async () => {
  const { world, events, open } = machine();
  const first = open();
  first.monitor([link]);
  await vi.advanceTimersByTimeAsync(1000);
  first.close();
  events.length = 0;
  const second = open();
  // Also before the links are set: other modules may have to decide before.
  expect(second.conditions().get("nl")).toMatchObject({ status: "up", changes: 2 });
  second.monitor([link]);
  expect(second.condition("nl")).toMatchObject({ status: "up", changes: 2 });
  world.answering.clear();
  await vi.advanceTimersByTimeAsync(2000);
  expect(events).toEqual(["nl: up → failed", "nl fails, 1"]);
  second.close();
});

test.each([
  ["the machine has rebooted since", (it: ReturnType<typeof machine>) => void (it.world.boot = "second")],
  [
    "the file is corrupt",
    (it: ReturnType<typeof machine>) => void it.disk.set("state.json", '{"boot":"first","parts":7'),
  ],
  [
    "it has another format",
    (it: ReturnType<typeof machine>) =>
      void it.disk.set("state.json", '{"boot":"first","parts":{"conditions":{"nl":{"status":"up"}}}}'),
  ],
  ["the interface is missing", (it: ReturnType<typeof machine>) => void (it.world.isThere = false)],
])("health: the saved state is not used when %s", async (_, invalidate) => {
  const it = machine();
  const first = it.open();
  first.monitor([link]);
  await vi.advanceTimersByTimeAsync(1000);
  first.close();
  invalidate(it);
  const second = it.open();
  second.monitor([link]);
  expect(second.condition("nl")?.status).toBe("connecting");
  second.close();
});

test("health: new targets during a burst do not fail the link", async () => {
  const { world, open } = machine();
  const health = open();
  health.monitor([link]);
  await vi.advanceTimersByTimeAsync(1000);
  world.answering = new Set(["10.0.0.9"]);
  await vi.advanceTimersByTimeAsync(1000);
  health.monitor([{ ...link, targets: ["10.0.0.9"] }]);
  await vi.advanceTimersByTimeAsync(3000);
  expect(health.condition("nl")).toMatchObject({ status: "up", changes: 2 });
  health.close();
});

test("health: a delayed daemon reads queued replies before it starts a burst", async () => {
  const { bursts, open } = machine();
  vi.setSystemTime(0);
  const health = open();
  health.monitor([link]);
  await vi.advanceTimersByTimeAsync(1249);
  vi.setSystemTime(1749);
  await vi.advanceTimersByTimeAsync(200);
  expect(bursts).toEqual([]);
  vi.setSystemTime(9000);
  await vi.advanceTimersByTimeAsync(250);
  expect(bursts).toEqual(["10.0.0.1"]);
  health.close();
});

test("health: the far end is probed first, and public servers only while it does not answer", async () => {
  const { world, streams, open } = machine();
  const health = open();
  const [farEnd, publicServer] = ["10.0.0.1", "192.0.2.9"];
  const probed = () => new Set([...streams.values()].map((it) => it.split(" ")[0]));
  world.answering.add(publicServer);
  health.monitor([{ ...link, targets: [farEnd], fallbackTargets: [publicServer] }]);
  expect(probed()).toEqual(new Set([farEnd]));
  await vi.advanceTimersByTimeAsync(5000);
  expect(probed()).toEqual(new Set([farEnd]));
  expect(health.condition("nl")).toMatchObject({ status: "up" });
  health.close();

  world.answering.delete(farEnd);
  const second = open();
  second.monitor([{ ...link, key: "other", targets: [farEnd], fallbackTargets: [publicServer] }]);
  expect(probed()).toEqual(new Set([farEnd]));
  await vi.advanceTimersByTimeAsync(3000);
  expect(probed()).toEqual(new Set([publicServer]));
  expect(second.condition("other")).toMatchObject({ status: "up" });
  second.close();
});

test("health: a link without probes is up while its interface is, and the reason says so", async () => {
  const { world, streams, bursts, open } = machine();
  const health = open();
  health.monitor([{ ...link, targets: [], isUnprobed: true }]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(health.condition("nl")).toMatchObject({ status: "up", reason: because("link_unprobed") });
  expect([streams.size, bursts]).toEqual([0, []]);
  world.isThere = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(health.condition("nl")).toMatchObject({ status: "failed", reason: because("link_interface_gone") });
  world.isThere = true;
  await vi.advanceTimersByTimeAsync(1000);
  expect(health.condition("nl")).toMatchObject({ status: "up", reason: because("link_unprobed") });
  health.close();
});

test("health: probe intervals are random and never longer than needed, and streams do not start together", async () => {
  const { world, streams, open } = machine();
  world.chance = 0.5;
  const health = open();
  health.monitor([link]);
  expect(streams.size).toBe(0);
  await vi.advanceTimersByTimeAsync(50);
  expect([...streams.values()]).toEqual(["10.0.0.1 270"]); // Of 300.
  health.close();
  expect(streams.size).toBe(0);
});
