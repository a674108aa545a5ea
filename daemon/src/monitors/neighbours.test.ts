import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { neighbourIn, openNeighbours } from "./neighbours.ts";

const [tv, nas] = ["02:00:00:00:00:07", "02:00:00:00:00:08"];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A fake kernel with a neighbour table and its events. */
function kernel(table: readonly string[] = []) {
  let onEvent: (line: string) => void = () => {};
  let begin = (): void => {};
  let answer = async (): Promise<string> => table.join("\n");
  const neighbours = openNeighbours(
    {
      run: () => answer(),
      follow: (_, __, onLine, onGap) => {
        onEvent = onLine;
        begin = onGap!;
        begin();
        return { stop: () => {} };
      },
    },
    () => ["lan0"],
  );
  const changes = vi.fn<() => void>();
  const listening = neighbours.listen(changes);
  return {
    neighbours,
    changes,
    emit: (...lines: string[]) => lines.forEach((line) => onEvent(line)),
    readAgain: (output: () => Promise<string>) => {
      answer = output;
      begin();
    },
    stop: () => listening.stop(),
  };
}

test.each([
  [`10.0.0.7 dev lan0 lladdr ${tv} STALE `, { address: "10.0.0.7", interface: "lan0", mac: tv, state: "STALE" }],
  [`fd00::7 dev lan0 lladdr ${tv} REACHABLE`, { address: "fd00::7", interface: "lan0", mac: tv, state: "REACHABLE" }],
  [
    `fe80::1 dev lan0 lladdr ${tv} router extern_learn DELAY`,
    { address: "fe80::1", interface: "lan0", mac: tv, state: "DELAY" },
  ],
  [
    `10.0.0.7 dev lan0 lladdr ${tv} PERMANENT `,
    { address: "10.0.0.7", interface: "lan0", mac: tv, state: "PERMANENT" },
  ],
  ["10.0.0.7 dev lan0 FAILED ", undefined],
  ["10.0.0.7 dev lan0  INCOMPLETE", undefined],
  [`Deleted 10.0.0.7 dev lan0 lladdr ${tv} STALE `, undefined],
  [`224.0.0.22 dev lan0 lladdr 01:00:5e:00:00:16 NOARP`, undefined],
  ["", undefined],
])("neighbours: the line is parsed: %s", (line, expected) => {
  expect(neighbourIn(line)).toEqual(expected);
});

test("neighbours: entries of the table are known, and later ones are reported", async () => {
  const { neighbours, changes, emit, stop } = kernel([
    `10.0.0.7 dev lan0 lladdr ${tv} STALE`,
    `192.0.2.1 dev wan0 lladdr ${nas} REACHABLE`,
  ]);
  await vi.advanceTimersByTimeAsync(50);
  expect(neighbours.list()).toEqual([{ mac: tv, address: "10.0.0.7" }]);
  expect(changes).toHaveBeenCalledTimes(1);
  emit(`10.0.0.8 dev lan0 lladdr ${nas} REACHABLE`, `fe80::8 dev lan0 lladdr ${nas} STALE`);
  await vi.advanceTimersByTimeAsync(50);
  expect(changes).toHaveBeenCalledTimes(2);
  expect(neighbours.list()).toHaveLength(3);
  stop();
});

test("neighbours: another state of an entry, and its removal, cause no notification", async () => {
  const { neighbours, changes, emit, stop } = kernel([`10.0.0.7 dev lan0 lladdr ${tv} STALE`]);
  await vi.advanceTimersByTimeAsync(2000);
  const before = neighbours.list();
  emit(
    `10.0.0.7 dev lan0 lladdr ${tv} PROBE`,
    `10.0.0.7 dev lan0 lladdr ${tv} REACHABLE`,
    "10.0.0.7 dev lan0 FAILED",
    `Deleted 10.0.0.7 dev lan0 lladdr ${tv} STALE`,
  );
  await vi.advanceTimersByTimeAsync(2000);
  expect(changes).toHaveBeenCalledTimes(1);
  expect(neighbours.list()).toBe(before);
  stop();
});

test("neighbours: an address belongs to the device that answered for it last", async () => {
  const { neighbours, emit, stop } = kernel([`10.0.0.7 dev lan0 lladdr ${tv} STALE`]);
  await vi.advanceTimersByTimeAsync(50);
  emit(`10.0.0.7 dev lan0 lladdr ${nas} REACHABLE`);
  expect(neighbours.list()).toEqual([{ mac: nas, address: "10.0.0.7" }]);
  stop();
});

test("neighbours: an event during a read of the table overrides the table", async () => {
  const { neighbours, emit, readAgain, stop } = kernel();
  await vi.advanceTimersByTimeAsync(2000);
  const { promise, resolve } = Promise.withResolvers<string>();
  readAgain(() => promise);
  emit(`10.0.0.7 dev lan0 lladdr ${nas} REACHABLE`);
  resolve(`10.0.0.7 dev lan0 lladdr ${tv} STALE`);
  await vi.advanceTimersByTimeAsync(50);
  expect(neighbours.list()).toEqual([{ mac: nas, address: "10.0.0.7" }]);
  stop();
});

test("neighbours: a failed read of the table is repeated", async () => {
  const { neighbours, readAgain, stop } = kernel();
  await vi.advanceTimersByTimeAsync(50);
  readAgain(async () => {
    throw new Error("ip is busy");
  });
  await vi.advanceTimersByTimeAsync(50);
  readAgain(async () => `10.0.0.7 dev lan0 lladdr ${tv} STALE`);
  await vi.advanceTimersByTimeAsync(2000);
  expect(neighbours.list()).toEqual([{ mac: tv, address: "10.0.0.7" }]);
  stop();
});

test("neighbours: with invented addresses the newest are kept, and notifications are rare", async () => {
  const { neighbours, changes, emit, stop } = kernel();
  for (let turn = 0; turn < 70; turn += 1) {
    for (let number = 0; number < 1000; number += 1)
      emit(`fd00::${turn.toString(16)}:${number.toString(16)} dev lan0 lladdr ${tv} STALE`);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(neighbours.list()).toHaveLength(65_536);
  expect(neighbours.list().at(-1)).toEqual({ mac: tv, address: "fd00::45:3e7" });
  expect(changes.mock.calls.length).toBeLessThan(40);
  stop();
});
