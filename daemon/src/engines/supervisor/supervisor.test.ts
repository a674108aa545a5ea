import { because, reported } from "@portcullis/contract/reason";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { type FakeMachine, fakeMachine } from "../../../../testing/processes.ts";
import { announceSeed } from "../../../../testing/seed.ts";
import { backoffMs } from "./supervisor.diff.ts";
import { type Supervisor, supervisor } from "./supervisor.ts";
import type { ProcessSpec } from "./supervisor.model.ts";

announceSeed("supervisor");

const folder = "/run/children";
const child = (name: string, stdin = ""): ProcessSpec => ({ name, command: "program", args: ["-f"], stdin });

afterEach(() => void vi.useRealTimers());

/** The supervisor of a daemon and its clock. */
function open(machine: FakeMachine) {
  let now = 0;
  let ends = 0;
  const kept = supervisor({ system: machine.system, folder, nowMs: () => now, onExit: () => void (ends += 1) });
  return {
    ...kept,
    want: (...children: readonly ProcessSpec[]) => want(kept, children),
    condition: (name: string) => kept.observe("a").find((it) => it.name === name)?.condition.kind,
    pass: (ms: number) => void (now += ms),
    ends: () => ends,
  };
}

/** The daemon is killed: no watching, no reaping. */
const kill = (machine: FakeMachine, daemon: { close(): void }): void => {
  daemon.close();
  machine.replaceDaemon();
};

async function want(kept: Supervisor, children: readonly ProcessSpec[]): Promise<number> {
  const changes = kept.changes(children, kept.observe("a"));
  await kept.apply(changes);
  return changes.length;
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

test("supervisor: a process is started once, left alone while unchanged, replaced when its specification changes, and ended", async () => {
  const machine = fakeMachine();
  const daemon = open(machine);
  expect(await daemon.want(child("a.1", "first"))).toBe(1);
  expect(await daemon.want(child("a.1", "first"))).toBe(0);
  expect(machine.alive().map(({ stdin }) => stdin)).toEqual(["first"]);
  expect(await daemon.want(child("a.1", "second"))).toBe(1);
  expect(machine.alive().map(({ stdin }) => stdin)).toEqual(["second"]);
  expect(await daemon.want()).toBe(1);
  expect(machine.alive()).toEqual([]);
  expect([...machine.files.keys()]).toEqual([]);
  expect(daemon.ends()).toBe(0);
  daemon.close();
});

test("supervisor: the standard input of a process is on no disk and in no argument", async () => {
  const machine = fakeMachine();
  const daemon = open(machine);
  await daemon.want(child("a.1", "a very secret key"));
  const visible = [...machine.files].flat().concat(machine.started.flatMap(({ words }) => words));
  expect(visible.filter((text) => text.includes("a very secret key"))).toEqual([]);
  expect(visible.filter((text) => text.includes("a.1"))).not.toEqual([]);
  daemon.close();
});

test("supervisor: the next daemon adopts the processes of the one before", async () => {
  const machine = fakeMachine();
  const first = open(machine);
  await first.want(child("a.1"), child("a.2"), child("a.3"));
  kill(machine, first);
  const second = open(machine);
  expect(await second.want(child("a.1"), child("a.2", "changed"))).toBe(2);
  expect(machine.alive().map(({ processId }) => processId)).toEqual([1, 4]);
  second.close();
});

test("supervisor: a process is found without a record, or with half of one", async () => {
  const machine = fakeMachine();
  const first = open(machine);
  await first.want(child("a.1"), child("a.2"));
  kill(machine, first);
  machine.files.delete(`${folder}/a.1.json`);
  machine.files.set(`${folder}/a.2.json`, '{"processId":2,"beg');
  const second = open(machine);
  expect(await second.want(child("a.1"), child("a.2"))).toBe(0);
  expect(machine.started).toHaveLength(2);
  second.close();
});

test("supervisor: another process with the recorded number is neither adopted nor ended", async () => {
  const machine = fakeMachine();
  const other = machine.system.launch("other", [], { stdin: "", output: "", onExit: () => {} });
  machine.files.set(`${folder}/a.1.json`, JSON.stringify({ processId: other, began: "0@boot", digest: "" }));
  const daemon = open(machine);
  expect(await daemon.want(child("a.1"))).toBe(1);
  expect(machine.alive().map(({ processId }) => processId)).toEqual([other, 2]);
  await daemon.want();
  expect(machine.alive().map(({ processId }) => processId)).toEqual([other]);
  daemon.close();
});

test("supervisor: a crash is reported at once, and the backoff grows until the process has run for a minute", async () => {
  const machine = fakeMachine();
  const daemon = open(machine);
  await daemon.want(child("a.1"));
  const backoffs: number[] = [];
  for (let death = 1; death <= 9; death += 1) {
    machine.die(machine.alive()[0]!.processId, "first line\nno such interface\n");
    await tick();
    expect(daemon.ends()).toBe(death);
    expect(await daemon.want(child("a.1"))).toBe(0);
    expect(daemon.observe("a")[0]!.reason).toEqual(reported("first line\nno such interface"));
    backoffs.push(daemon.retryAtMs()! - (death - 1) * 40_000);
    daemon.pass(40_000);
    expect(await daemon.want(child("a.1"))).toBe(1);
  }
  expect(backoffs).toEqual([100, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  daemon.pass(60_000);
  machine.die(machine.alive()[0]!.processId);
  await tick();
  expect(daemon.observe("a")[0]).toMatchObject({
    crashes: 1,
    condition: { kind: "backoff" },
    reason: because("program_killed", { signal: "SIGKILL" }),
  });
  daemon.close();
});

test("supervisor: the crash of an adopted process and the end of its backoff are reported", async () => {
  vi.useFakeTimers();
  const machine = fakeMachine();
  const first = open(machine);
  await first.want(child("a.1"));
  kill(machine, first);
  const second = open(machine);
  machine.die(1);
  await vi.advanceTimersByTimeAsync(499);
  expect(second.ends()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(second.ends()).toBe(1);
  second.pass(100);
  await vi.advanceTimersByTimeAsync(100);
  expect(second.ends()).toBe(2);
  expect(second.condition("a.1")).toBe("restartable");
  second.close();
});

test("supervisor: a process that ignores SIGTERM is killed before its replacement starts", async () => {
  vi.useFakeTimers();
  const machine = fakeMachine(() => false);
  const daemon = open(machine);
  await daemon.want(child("a.1"));
  const replaced = daemon.want(child("a.1", "changed"));
  await vi.advanceTimersByTimeAsync(1900);
  expect(machine.alive().map(({ processId }) => processId)).toEqual([1]);
  await vi.advanceTimersByTimeAsync(200);
  await replaced;
  expect(machine.alive().map(({ processId }) => processId)).toEqual([2]);
  expect(daemon.ends()).toBe(0);
  daemon.close();
});

test("supervisor: a missing program counts as crashed, and the others start", async () => {
  const machine = fakeMachine();
  const daemon = open(machine);
  await daemon.want({ ...child("a.1"), command: "missing" }, child("a.2"));
  expect(daemon.observe("a").map(({ name, reason }) => [name, reason])).toEqual([
    ["a.1", reported("missing cannot be started")],
    ["a.2", null],
  ]);
  expect(daemon.ends()).toBe(1);
  daemon.close();
});

test("supervisor: an engine sees its own processes only", async () => {
  const machine = fakeMachine();
  const daemon = open(machine);
  await daemon.want(child("a.1"), child("b.1"));
  expect(daemon.observe("a").map(({ name }) => name)).toEqual(["a.1"]);
  daemon.close();
});

test("supervisor: after any sequence of events no name has two processes", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("want" as const), stdin: fc.constantFrom("x", "y"), both: fc.boolean() }),
    fc.record({ kind: fc.constant("die" as const), place: fc.nat(1) }),
    fc.record({ kind: fc.constant("restart" as const), losesRecords: fc.boolean() }),
    fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(50, 700, 70_000) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const machine = fakeMachine();
      let daemon = open(machine);
      const take = async (it: (typeof steps)[number]): Promise<unknown> => {
        if (it.kind === "want")
          return daemon.want(...["a.1", ...(it.both ? ["a.2"] : [])].map((name) => child(name, it.stdin)));
        if (it.kind === "pass") return daemon.pass(it.ms);
        const victim = machine.alive()[it.kind === "die" ? it.place : 0];
        if (it.kind === "die") return victim && machine.die(victim.processId);
        kill(machine, daemon);
        if (it.losesRecords) for (const path of machine.files.keys()) machine.files.delete(path);
        return (daemon = open(machine));
      };
      for (const it of steps) {
        await take(it);
        await tick();
        const names = machine
          .alive()
          .map(({ words }) => words.find((word) => word.startsWith("PORTCULLIS"))!.split("#")[0]);
        expect(new Set(names).size).toBe(names.length);
      }
      daemon.close();
    }),
    { numRuns: 60 },
  );
});

test("supervisor: the backoff grows up to a limit", () => {
  expect([1, 2, 3, 100].map(backoffMs)).toEqual([100, 500, 1000, 30_000]);
});
