import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { neighbourIn, openNeighbours } from "./neighbours.ts";

const [tv, nas] = ["02:00:00:00:00:07", "02:00:00:00:00:08"];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A kernel whose table can be read, and that tells of changes. */
function kernel(table: readonly string[] = []) {
  let hear: (line: string) => void = () => {};
  let begin = (): void => {};
  let answer = async (): Promise<string> => table.join("\n");
  const neighbours = openNeighbours(
    {
      run: () => answer(),
      follow: (_, __, onLine, onGap) => {
        hear = onLine;
        begin = onGap!;
        begin();
        return { stop: () => {} };
      },
    },
    ["lan0"],
  );
  const changes = vi.fn<() => void>();
  const listening = neighbours.listen(changes);
  return {
    neighbours,
    changes,
    say: (...lines: string[]) => lines.forEach((line) => hear(line)),
    readAgain: (said: () => Promise<string>) => {
      answer = said;
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
])("who answers for an address is read from: %s", (line, expected) => {
  expect(neighbourIn(line)).toEqual(expected);
});

test("whoever is in the table is known, and whoever comes later is heard", async () => {
  const { neighbours, changes, say, stop } = kernel([
    `10.0.0.7 dev lan0 lladdr ${tv} STALE`,
    `192.0.2.1 dev wan0 lladdr ${nas} REACHABLE`,
  ]);
  await vi.advanceTimersByTimeAsync(50);
  expect(neighbours.list()).toEqual([{ mac: tv, address: "10.0.0.7" }]);
  expect(changes).toHaveBeenCalledTimes(1);
  say(`10.0.0.8 dev lan0 lladdr ${nas} REACHABLE`, `fe80::8 dev lan0 lladdr ${nas} STALE`);
  await vi.advanceTimersByTimeAsync(50);
  expect(changes).toHaveBeenCalledTimes(2);
  expect(neighbours.list()).toHaveLength(3);
  stop();
});

test("another state of the same neighbour is no news, and neither is that it sleeps", async () => {
  const { neighbours, changes, say, stop } = kernel([`10.0.0.7 dev lan0 lladdr ${tv} STALE`]);
  await vi.advanceTimersByTimeAsync(2000);
  const before = neighbours.list();
  say(
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

test("an address belongs to whoever answered for it last", async () => {
  const { neighbours, say, stop } = kernel([`10.0.0.7 dev lan0 lladdr ${tv} STALE`]);
  await vi.advanceTimersByTimeAsync(50);
  say(`10.0.0.7 dev lan0 lladdr ${nas} REACHABLE`);
  expect(neighbours.list()).toEqual([{ mac: nas, address: "10.0.0.7" }]);
  stop();
});

test("what is heard while the table is read counts more than the table", async () => {
  const { neighbours, say, readAgain, stop } = kernel();
  await vi.advanceTimersByTimeAsync(2000);
  const { promise, resolve } = Promise.withResolvers<string>();
  readAgain(() => promise);
  say(`10.0.0.7 dev lan0 lladdr ${nas} REACHABLE`);
  resolve(`10.0.0.7 dev lan0 lladdr ${tv} STALE`);
  await vi.advanceTimersByTimeAsync(50);
  expect(neighbours.list()).toEqual([{ mac: nas, address: "10.0.0.7" }]);
  stop();
});

test("a kernel that cannot be asked now is asked again", async () => {
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

test("of whoever makes up addresses on end, the newest are remembered, and it is told of seldom", async () => {
  const { neighbours, changes, say, stop } = kernel();
  for (let turn = 0; turn < 70; turn += 1) {
    for (let number = 0; number < 1000; number += 1)
      say(`fd00::${turn.toString(16)}:${number.toString(16)} dev lan0 lladdr ${tv} STALE`);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(neighbours.list()).toHaveLength(65_536);
  expect(neighbours.list().at(-1)).toEqual({ mac: tv, address: "fd00::45:3e7" });
  expect(changes.mock.calls.length).toBeLessThan(40);
  stop();
});
