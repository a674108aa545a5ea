import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { linux } from "../system/system.ts";
import { openServerAddresses } from "./server-addresses.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A resolver that says what it is told to, and a file in memory. */
function place(kept?: string) {
  const disk = new Map(kept === undefined ? [] : [["names.json", kept]]);
  const answers = new Map<string, readonly string[]>();
  const asked: { host: string; atMs: number }[] = [];
  const changes: [string, string][] = [];
  const open = () =>
    openServerAddresses({
      system: {
        ...linux,
        readText: (path) => disk.get(path),
        writeAtomically: (path, text) => void disk.set(path, text),
      },
      resolve: async (host) => {
        asked.push({ host, atMs: Date.now() });
        const found = answers.get(host);
        if (!found) throw new Error("SERVFAIL");
        return found;
      },
      file: "names.json",
      nowMs: () => Date.now(),
      onChange: (...change) => changes.push(change),
    });
  return { disk, answers, asked, changes, open };
}

test("an address is its own answer and nobody is asked", async () => {
  const { open, asked } = place();
  const names = open();
  names.setHosts(["192.0.2.1", "2001:db8::1"]);
  await vi.advanceTimersByTimeAsync(10);
  expect([names.addressOf("192.0.2.1"), names.addressOf("2001:db8::1"), asked]).toEqual([
    "192.0.2.1",
    "2001:db8::1",
    [],
  ]);
  names.close();
});

test("a name is looked up at once, IPv4 is preferred, and the answer is asked for again in ten minutes", async () => {
  const { open, answers, asked, changes } = place();
  answers.set("nl.example", ["2001:db8::7", "192.0.2.7"]);
  const names = open();
  names.setHosts(["nl.example"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(changes).toEqual([["nl.example", "192.0.2.7"]]);
  await vi.advanceTimersByTimeAsync(599_000);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2000);
  expect(asked).toHaveLength(2);
  names.close();
  await vi.advanceTimersByTimeAsync(9_000_000);
  expect(asked).toHaveLength(2);
});

test("only IPv6 is better than nothing", async () => {
  const { open, answers } = place();
  answers.set("six.example", ["2001:db8::7"]);
  const names = open();
  names.setHosts(["six.example"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(names.addressOf("six.example")).toBe("2001:db8::7");
  names.close();
});

test("an answer that still has the address in use changes nothing, another one does", async () => {
  const { open, answers, changes } = place();
  answers.set("nl.example", ["192.0.2.7"]);
  const names = open();
  names.setHosts(["nl.example"]);
  await vi.advanceTimersByTimeAsync(2000);
  answers.set("nl.example", ["192.0.2.1", "192.0.2.7"]);
  names.refresh("nl.example");
  await vi.advanceTimersByTimeAsync(2000);
  expect(changes).toHaveLength(1);
  answers.set("nl.example", ["192.0.2.1"]);
  names.refresh("nl.example");
  await vi.advanceTimersByTimeAsync(1);
  expect(changes.at(-1)).toEqual(["nl.example", "192.0.2.1"]);
  names.close();
});

test("a silent resolver is asked again after one second, two, four, and never more than a minute", async () => {
  const { open, asked } = place();
  const names = open();
  names.setHosts(["nl.example"]);
  await vi.advanceTimersByTimeAsync(400_000);
  const gaps = asked.slice(1).map(({ atMs }, place) => (atMs - asked[place]!.atMs) / 1000);
  expect(gaps.slice(0, 9)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  names.close();
});

test("the last good answer survives a restart and a silent resolver", async () => {
  const { open, answers, changes, disk } = place();
  answers.set("nl.example", ["192.0.2.7"]);
  const first = open();
  first.setHosts(["nl.example"]);
  await vi.advanceTimersByTimeAsync(1);
  first.close();
  answers.clear();
  const second = open();
  second.setHosts(["nl.example"]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(second.addressOf("nl.example")).toBe("192.0.2.7");
  expect(changes).toHaveLength(1);
  expect(disk.get("names.json")).toBe('{"nl.example":"192.0.2.7"}\n');
  second.close();
});

test("a spoilt file is the same as none", () => {
  expect(place("{").open().addressOf("nl.example")).toBeUndefined();
  expect(place('{"nl.example":7}').open().addressOf("nl.example")).toBeUndefined();
});

test("those who doubt all at once ask once", async () => {
  const { open, answers, asked } = place();
  answers.set("nl.example", ["192.0.2.7"]);
  const names = open();
  names.setHosts(["nl.example"]);
  await vi.advanceTimersByTimeAsync(1500);
  for (let doubt = 0; doubt < 5; doubt += 1) names.refresh("nl.example");
  await vi.advanceTimersByTimeAsync(1);
  names.refresh("nl.example");
  names.refresh("other.example");
  expect(asked).toHaveLength(2);
  names.close();
});
