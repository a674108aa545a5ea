import fc from "fast-check";
import type { EventName } from "@portcullis/contract/events";
import { Problem } from "@portcullis/contract/problem";
import { captureLimits, captures } from "@portcullis/contract/subsystems/captures";
import { afterEach, expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { filterCheck, capture } from "../../engines/tcpdump/tcpdump.render.ts";
import { createSchemas } from "../../http/schemas.ts";
import { type Captures, capturesService } from "./captures.service.ts";
import { maxLag, streamLines } from "./captures.stream.ts";
import type { Recording, RecordingEnd } from "./recording.ts";
import type { CaptureInterface } from "./visible-devices.ts";

announceSeed("captures");

const cause = { actor: "ada", action: "start_capture", resourceType: "capture" };
const hour = 3_600_000;
const pause = async () => {};
let service: Captures | undefined;
afterEach(() => service?.close());

/** A recording whose packets and end the test decides. */
function recordingOf(bytes: number) {
  let [packets, end] = [0, undefined as RecordingEnd | undefined];
  let wake: (() => void)[] = [];
  const finish = (it: RecordingEnd) => {
    end ??= it;
    for (const resolve of wake.splice(0)) resolve();
  };
  const recording: Recording = {
    state: () => ({ packets, bytes, withheld: 0, dropped: end ? 0 : null, end }),
    summaries: async (after, limit) =>
      Array.from({ length: Math.max(0, Math.min(limit, packets - after)) }, (_, place) => ({
        number: after + place + 1,
        timestamp: "2026-01-01T00:00:00.000000Z",
        length: 60,
        protocol: "udp",
        source: null,
        destination: null,
        source_port: null,
        destination_port: null,
        info: "",
      })),
    details: async () => undefined,
    file: async function* () {
      yield new Uint8Array();
    },
    changed: async (after) => {
      if (!end && packets <= after) await new Promise<void>((resolve) => (wake = [...wake, resolve]));
      return true;
    },
    stop: async () => finish({ reason: "stopped", failure: null, atMs: clock.getTime() }),
    close: async () => finish({ reason: "stopped", failure: null, atMs: clock.getTime() }),
  };
  return {
    recording,
    receive: (more: number) => {
      packets += more;
      for (const resolve of wake.splice(0)) resolve();
    },
  };
}

let clock = new Date("2026-01-01T00:00:00Z");

function opened({
  missing = [] as string[],
  freeBytes = 2 ** 40,
  bytes = 1000,
  unlogged = false,
  more = [] as CaptureInterface[],
  program = Promise.resolve() as Promise<void>,
} = {}) {
  clock = new Date("2026-01-01T00:00:00Z");
  const [audited, events, checked, dissected] = [[] as string[], [] as EventName[], [] as string[], [] as number[]];
  const devices = { isUnlogged: unlogged };
  let last: ReturnType<typeof recordingOf> | undefined;
  service = capturesService({
    ledger: {
      change: ((it: typeof cause, write: (draft: object) => void) => {
        write({ about: () => audited.push(it.action) });
      }) as never,
    },
    interfaces: async () => [
      { name: "lan0", role: "lan", master: null, parent: null },
      { name: "wan0", role: "uplink", master: null, parent: null },
      ...more,
    ],
    missing: (programs) => programs.filter((it) => missing.includes(it)),
    checkFilter: async (_, filter) => {
      checked.push(filter);
      await program;
      return filter === "udp port" ? "syntax error" : undefined;
    },
    record: async () => ({
      ...(last = recordingOf(bytes)).recording,
      details: async (number) => {
        dissected.push(number);
        await program;
        return undefined;
      },
    }),
    freeBytes: () => freeBytes,
    hasUnlogged: () => devices.isUnlogged,
    announce: (name) => void events.push(name),
    now: () => clock,
    warn: (message) => {
      throw new Error(message);
    },
  });
  const { start, stop } = service;
  return {
    ...service,
    audited,
    events,
    checked,
    dissected,
    devices,
    receive: (packets: number) => last!.receive(packets),
    start: (body: object = {}) => start({ interface: "lan0", ...body }, cause),
    stop: (id: string) => stop(id, { ...cause, action: "stop_capture" }),
  };
}

const refusalOf = async (work: Promise<unknown>): Promise<Problem> =>
  work.then(
    () => Promise.reject(new Error("It was not refused")),
    (error: unknown) => {
      if (error instanceof Problem) return error;
      throw error;
    },
  );

function refusedBy(act: () => void): Problem | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error as Problem;
  }
}

test("a capture is listed, audited and reported from its start to its end", async () => {
  const { start, stop, list, audited, events } = opened();
  const { id } = await start({ filter: " udp port 53 " });
  expect(list()).toMatchObject([{ id, state: "running", filter: "udp port 53", count: captureLimits.packets }]);
  expect(await stop(id)).toMatchObject({ state: "stopped", end_reason: "stopped", packets: 0 });
  await stop(id); // It is stopped already: neither a change nor an event.
  expect(list()).toHaveLength(1);
  expect([audited, events]).toEqual([
    ["start_capture", "stop_capture"],
    ["capture.started", "capture.ended"],
  ]);
});

test("a request beyond a limit is refused with the limit, and one at the limit is not", async () => {
  const { start } = opened();
  for (const [body, limit] of [
    [{ count: captureLimits.packets + 1 }, captureLimits.packets],
    [{ duration_sec: captureLimits.durationSec + 1 }, captureLimits.durationSec],
  ] as const)
    expect(await refusalOf(start(body))).toMatchObject({ code: "limit_reached", details: { limit } });
  await start({ count: captureLimits.packets, duration_sec: captureLimits.durationSec });
});

test("a fourth capture at once is refused, also if all are started in the same moment", async () => {
  const { start, stop } = opened();
  const results = await Promise.allSettled([1, 2, 3, 4].map(() => start()));
  const refused = results.flatMap((it) => (it.status === "rejected" ? [it.reason as Problem] : []));
  expect(refused).toMatchObject([{ code: "limit_reached", details: { limit: captureLimits.running } }]);
  const [first] = results.flatMap((it) => (it.status === "fulfilled" ? [it.value] : []));
  await stop(first!.id);
  await start();
});

test("the last captures are retained: by number, by size and for a day", async () => {
  const many = opened();
  for (let number = 0; number < captureLimits.retained + 2; number += 1) await many.stop((await many.start()).id);
  expect(many.list()).toHaveLength(captureLimits.retained);
  const large = opened({ bytes: captureLimits.bytes });
  for (let number = 0; number < 6; number += 1) await large.stop((await large.start()).id);
  expect(large.list().length * captureLimits.bytes).toBe(captureLimits.retainedBytes);
  const old = opened();
  const { id } = await old.start();
  await old.stop(id);
  clock = new Date(clock.getTime() + captureLimits.retainedHours * hour - 1);
  expect(old.list()).toHaveLength(1);
  clock = new Date(clock.getTime() + 1);
  expect(old.list()).toEqual([]);
  expect(await refusalOf(old.get(id, 0, 1))).toMatchObject({ code: "not_found" });
});

test("a capture is refused while the disk is nearly full, and starts when there is space", async () => {
  expect(await refusalOf(opened({ freeBytes: captureLimits.bytes }).start())).toMatchObject({ code: "limit_reached" });
  await opened({ freeBytes: 1 << 30 }).start();
});

test("an unknown interface is refused with those that exist", async () => {
  const { code, details } = await refusalOf(opened().start({ interface: "lan1" }));
  expect({ code, details }).toMatchObject({
    code: "invalid_request",
    details: { fields: [{ field: "body.interface", allowed: ["lan0", "wan0"], did_you_mean: "lan0" }] },
  });
});

test("a filter that does not compile is refused with the message of the compiler", async () => {
  const { code, message } = await refusalOf(opened().start({ filter: "udp port" }));
  expect([code, message]).toEqual(["invalid_request", "body.filter: is not a filter: syntax error"]);
});

test("twenty requests for the details of packets, or with filters, run two programs at once, and the others are refused", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { start, details, checked, dissected } = opened({ program: promise });
  const { id } = await start();
  const requests = (request: () => Promise<unknown>) => Array.from({ length: 20 }, () => refusalOf(request()));
  const outcomes = [...requests(() => details(id, 1)), ...requests(() => start({ filter: "udp port" }))];
  // Refused ones are answered while the others run.
  const refused = await Promise.all([...outcomes.slice(2, 20), ...outcomes.slice(22)]);
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(["limit_reached"]));
  expect([dissected, checked]).toEqual([
    [1, 1],
    ["udp port", "udp port"],
  ]);
  resolve();
  const served = await Promise.all([...outcomes.slice(0, 2), ...outcomes.slice(20, 22)]);
  expect(served.map(({ code }) => code)).toEqual(["not_found", "not_found", "invalid_request", "invalid_request"]);
  expect(await refusalOf(details(id, 1))).toMatchObject({ code: "not_found" });
});

test("a program that is not installed is named with the command that installs it", async () => {
  const { code, details } = await refusalOf(opened({ missing: ["tcpdump"] }).start());
  expect({ code, details }).toEqual({
    code: "engine_unavailable",
    details: { program: "tcpdump", install: "apt install tcpdump" },
  });
});

test("a capture is mixed where packets of devices with the log level none cannot be distinguished", async () => {
  const states = await Promise.all(
    [true, false].map(async (unlogged) => {
      const { start } = opened({ unlogged });
      return [(await start()).mixed, (await start({ interface: "wan0" })).mixed];
    }),
  );
  expect(states).toEqual([
    [false, true],
    [false, false],
  ]);
});

test("a capture of a port is mixed if an uplink lies above it, as a VLAN, a bridge or a VLAN of a bridge, and not if only LANs do", async () => {
  const at = (name: string, role: CaptureInterface["role"], place: Partial<CaptureInterface> = {}) => ({
    name,
    role,
    master: null,
    parent: null,
    ...place,
  });
  const vlans = (parent: string, other: CaptureInterface["role"]) => [
    at(`${parent}.10`, "lan", { parent }),
    at(`${parent}.100`, other, { parent }),
  ];
  const mixedOn = async (name: string, more: CaptureInterface[]) => {
    const { start, close } = opened({ unlogged: true, more });
    const { mixed } = await start({ interface: name });
    await close();
    return mixed;
  };
  for (const [other, isMixed] of [
    ["uplink", true],
    ["lan", false],
  ] as const) {
    const port = at("eth0", "bridge member", { master: "br0" });
    expect(await mixedOn("eth0", [at("eth0", "trunk"), ...vlans("eth0", other)])).toBe(isMixed);
    expect(await mixedOn("eth0", [at("eth0", "lan"), ...vlans("eth0", other)])).toBe(isMixed);
    expect(await mixedOn("eth0", [port, at("br0", other)])).toBe(isMixed);
    for (const name of ["eth0", "br0"])
      expect(await mixedOn(name, [port, at("br0", "bridge"), ...vlans("br0", other)])).toBe(isMixed);
    expect(await mixedOn("eth0.10", [at("eth0", "trunk"), ...vlans("eth0", other)])).toBe(false);
  }
});

test("a capture becomes mixed when a device gets the log level none while it runs, and remains so", async () => {
  const { start, get, stop, devices } = opened();
  const lan = await start();
  const [running, ended] = [await start({ interface: "wan0" }), await start({ interface: "wan0" })];
  await stop(ended.id);
  const mixed = () => Promise.all([lan, running, ended].map(async ({ id }) => (await get(id, 0, 0)).mixed));
  expect(await mixed()).toEqual([false, false, false]);
  devices.isUnlogged = true;
  expect(await mixed()).toEqual([false, true, false]);
  devices.isUnlogged = false;
  expect(await mixed()).toEqual([false, true, false]);
});

test("a capture without a reader becomes mixed with the packets that arrive", async () => {
  const { start, get, devices, receive } = opened();
  const { id } = await start({ interface: "wan0" });
  devices.isUnlogged = true;
  receive(1);
  await new Promise(setImmediate);
  devices.isUnlogged = false;
  expect(await get(id, 0, 1)).toMatchObject({ packets: 1, mixed: true });
});

test("whatever the filter is, tcpdump gets it as the one argument after --, and never as an option", async () => {
  const check = createSchemas({ checkAnswers: false }).body(captures.start.body);
  const nasty = [
    "-w /etc/x",
    "--",
    "-F/etc/shadow",
    "-z sh",
    "a\0b",
    "a\nb",
    "\u2028",
    "x".repeat(1001),
    "$(id)",
    ";id",
  ];
  const filters = fc.oneof(fc.constantFrom(...nasty), fc.string({ maxLength: 1200, unit: "binary" }), fc.string());
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      const { start, checked } = opened();
      const refusal = refusedBy(() => check({ interface: "lan0", filter }));
      expect(refusal?.code).toBe(/^[ -~]{0,1000}$/.test(filter) ? undefined : "invalid_request");
      if (refusal) return;
      accepted += 1;
      await start({ filter });
      await service!.close();
      for (const typed of checked) {
        expect(typed).toMatch(/^[!-~](?:[ -~]{0,998}[!-~])?$/);
        for (const { args } of [filterCheck(typed, "ethernet", {}), capture("lan0", typed, {})])
          expect([args.at(-2), args.at(-1), args.indexOf(typed, args.indexOf("tcpdump"))]).toEqual([
            "--",
            typed,
            args.length - 1 - (typed === "--" ? 1 : 0),
          ]);
      }
    }),
    { numRuns: 40 },
  );
  expect(accepted).toBeGreaterThan(0);
});

test("a stream has each packet once and its end, and a slow reader gets the number of those that it misses", async () => {
  const { recording, receive } = recordingOf(0);
  const lines = streamLines({
    recording,
    capture: () => ({ id: "a" }) as never,
    after: 0,
    isAuthorized: () => true,
    pause,
  });
  const numbers: number[] = [];
  let skipped = 0;
  let last = "";
  receive(300);
  for await (const text of lines) {
    for (const line of text.trim().split("\n")) {
      const it = JSON.parse(line) as { kind: string; packet: { number: number }; packets: number };
      last = it.kind;
      if (it.kind === "skipped") skipped += it.packets;
      if (it.kind !== "packet") continue;
      numbers.push(it.packet.number);
      if (it.packet.number === 300)
        receive(maxLag * 2); // They arrive at once.
      else if (it.packet.number === maxLag * 2 + 300) void recording.stop();
    }
  }
  expect(last).toBe("end");
  expect(skipped).toBeGreaterThan(0);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.length + skipped).toBe(maxLag * 2 + 300);
});

test("a stream ends with the authorization of its reader", async () => {
  const { recording, receive } = recordingOf(0);
  let isAuthorized = true;
  const lines = streamLines({
    recording,
    capture: () => ({}) as never,
    after: 0,
    isAuthorized: () => isAuthorized,
    pause,
  });
  receive(1);
  expect((await lines.next()).done).toBe(false);
  isAuthorized = false;
  expect((await lines.next()).done).toBe(true);
});
