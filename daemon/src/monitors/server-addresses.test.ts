import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { linux } from "../system/system.ts";
import { openServerAddresses } from "./server-addresses.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A fake resolver, and a file in memory. */
function environment(saved?: string) {
  const disk = new Map(saved === undefined ? [] : [["servers.json", saved]]);
  const answers = new Map<string, readonly string[]>();
  const lookups: { host: string; atMs: number }[] = [];
  const changes: [string, string][] = [];
  const open = () =>
    openServerAddresses({
      system: {
        ...linux,
        readText: (path) => disk.get(path),
        writeAtomically: (path, text) => void disk.set(path, text),
      },
      resolve: async (host) => {
        lookups.push({ host, atMs: Date.now() });
        const found = answers.get(host);
        if (!found) throw new Error("SERVFAIL");
        return found;
      },
      file: "servers.json",
      nowMs: () => Date.now(),
      onChange: (...change) => changes.push(change),
    });
  return { disk, answers, lookups, changes, open };
}

test("server addresses: an address needs no lookup", async () => {
  const { open, lookups } = environment();
  const servers = open();
  servers.setHosts(["192.0.2.1", "2001:db8::1"]);
  await vi.advanceTimersByTimeAsync(10);
  expect([servers.addressOf("192.0.2.1"), servers.addressOf("2001:db8::1"), lookups]).toEqual([
    "192.0.2.1",
    "2001:db8::1",
    [],
  ]);
  servers.close();
});

test("server addresses: a name is resolved at once, IPv4 is preferred, and it is resolved again after ten minutes", async () => {
  const { open, answers, lookups, changes } = environment();
  answers.set("nl.example", ["2001:db8::7", "192.0.2.7"]);
  const servers = open();
  servers.setHosts(["nl.example"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(changes).toEqual([["nl.example", "192.0.2.7"]]);
  await vi.advanceTimersByTimeAsync(599_000);
  expect(lookups).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2000);
  expect(lookups).toHaveLength(2);
  servers.close();
  await vi.advanceTimersByTimeAsync(9_000_000);
  expect(lookups).toHaveLength(2);
});

test("server addresses: IPv6 is used if there is no IPv4", async () => {
  const { open, answers } = environment();
  answers.set("six.example", ["2001:db8::7"]);
  const servers = open();
  servers.setHosts(["six.example"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(servers.addressOf("six.example")).toBe("2001:db8::7");
  servers.close();
});

test("server addresses: an answer that contains the current address changes nothing, another one does", async () => {
  const { open, answers, changes } = environment();
  answers.set("nl.example", ["192.0.2.7"]);
  const servers = open();
  servers.setHosts(["nl.example"]);
  await vi.advanceTimersByTimeAsync(2000);
  answers.set("nl.example", ["192.0.2.1", "192.0.2.7"]);
  servers.refresh("nl.example");
  await vi.advanceTimersByTimeAsync(2000);
  expect(changes).toHaveLength(1);
  answers.set("nl.example", ["192.0.2.1"]);
  servers.refresh("nl.example");
  await vi.advanceTimersByTimeAsync(1);
  expect(changes.at(-1)).toEqual(["nl.example", "192.0.2.1"]);
  servers.close();
});

test("server addresses: a failed lookup is repeated after one second, two, four, and at most a minute", async () => {
  const { open, lookups } = environment();
  const servers = open();
  servers.setHosts(["nl.example"]);
  await vi.advanceTimersByTimeAsync(400_000);
  const gaps = lookups.slice(1).map(({ atMs }, index) => (atMs - lookups[index]!.atMs) / 1000);
  expect(gaps.slice(0, 9)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  servers.close();
});

test("server addresses: the last good answer survives a restart and a resolver that does not answer", async () => {
  const { open, answers, changes, disk } = environment();
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
  expect(disk.get("servers.json")).toBe('{"nl.example":"192.0.2.7"}\n');
  second.close();
});

test("server addresses: a corrupt file is treated as empty", () => {
  expect(environment("{").open().addressOf("nl.example")).toBeUndefined();
  expect(environment('{"nl.example":7}').open().addressOf("nl.example")).toBeUndefined();
});

test("server addresses: simultaneous refreshes cause one lookup", async () => {
  const { open, answers, lookups } = environment();
  answers.set("nl.example", ["192.0.2.7"]);
  const servers = open();
  servers.setHosts(["nl.example"]);
  await vi.advanceTimersByTimeAsync(1500);
  for (let call = 0; call < 5; call += 1) servers.refresh("nl.example");
  await vi.advanceTimersByTimeAsync(1);
  servers.refresh("nl.example");
  servers.refresh("other.example");
  expect(lookups).toHaveLength(2);
  servers.close();
});
