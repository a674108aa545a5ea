import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { EventName } from "@portcullis/contract/events";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { kinds } from "../../app/resource-kinds.ts";
import { openSightings } from "../../monitors/sightings.ts";
import type { Compiled } from "../inputs.ts";
import { openDiscoveryPlane } from "./discovery.plane.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const compiled = {
  intent: { network: { lan: ["lan0"] } },
  facts: {
    links: [
      { name: "lan0", up: true, addresses: ["10.0.0.1/24", "fd00::1/64"] },
      { name: "wan0", up: true, addresses: ["192.0.2.2/24"] },
    ],
  },
} as unknown as Compiled;

interface Leases {
  hostnames: readonly { mac: string; hostname: string | null }[];
}

function machine() {
  const ledger = ledgerInMemory(kinds, { now: () => new Date() });
  const sightings = openSightings({ nowMs: () => Date.now() });
  const events: { name: EventName; payload: unknown }[] = [];
  const probed: string[] = [];
  const receivers = new Map<
    string,
    { joined: readonly string[]; receive: (bytes: Uint8Array, sender: string) => void }
  >();
  const stored = new Map<string, string>();
  const leases: Leases = { hostnames: [] };
  let writes = 0;
  const plane = openDiscoveryPlane({
    ledger,
    sightings,
    system: {
      run: async (command, args, options) => {
        probed.push(...`${command} ${args.join(" ")}\n${options?.stdin}`.trim().split("\n").slice(1));
        return "";
      },
      readText: () => undefined,
    },
    store: {
      load: () => [...stored.values()],
      write: (cards, removed) => {
        if (cards.length + removed.length > 0) writes += 1;
        for (const { key, text } of cards) stored.set(key, text);
      },
      close: () => {},
    },
    compiled: () => compiled,
    dhcp: { leases: async () => leases.hostnames } as never,
    announce: (name, payload) => void events.push({ name, payload }),
    nowMs: () => Date.now(),
    warn: () => {},
    receive: ({ address, joined, onDatagram }) => {
      receivers.set(address, { joined: joined(), receive: onDatagram });
      return { problem: () => undefined, close: () => {} };
    },
  });
  const see = (number: number, state = "REACHABLE") =>
    sightings.see(
      { mac: macOf(number), address: `10.0.${number >> 8}.${number & 255}`, interface: "lan0", state },
      true,
    );
  return { ledger, plane, sightings, see, events, probed, receivers, stored, leases, writes: () => writes };
}
const macOf = (number: number) =>
  `02:00:00:00:${[number >> 8, number & 255].map((it) => it.toString(16).padStart(2, "0")).join(":")}`;
const notify = new TextEncoder().encode("NOTIFY * HTTP/1.1\r\nNTS: ssdp:alive\r\nSERVER: Example-TV/1\r\n\r\n");

test("discovery: messages are received on LAN interfaces only, and those of other senders are ignored", () => {
  const { receivers, see, plane } = machine();
  expect([...receivers].map(([address, { joined }]) => [address, joined])).toEqual([
    ["255.255.255.255", ["10.0.0.1"]],
    ["224.0.0.251", ["10.0.0.1"]],
    ["239.255.255.250", ["10.0.0.1"]],
  ]);
  see(7);
  receivers.get("239.255.255.250")!.receive(notify, "192.0.2.9");
  expect(plane.get(macOf(7))?.facts).toEqual([]);
  receivers.get("239.255.255.250")!.receive(notify, "10.0.0.7");
  expect(plane.get(macOf(7))?.facts).toMatchObject([{ field: "product", value: "Example-TV/1", source: "ssdp" }]);
});

test("discovery: 1,000 devices that appear within a minute are one event, which lists 20 of them", async () => {
  const { see, events, plane } = machine();
  for (let number = 1; number <= 1000; number += 1) {
    see(number);
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(events).toEqual([]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(events.map(({ name }) => name)).toEqual(["device.discovered"]);
  const { devices, omitted } = events[0]!.payload as { devices: object[]; omitted: number };
  expect([devices.length, omitted, plane.all().length]).toEqual([20, 980, 1000]);
  expect(devices[0]).toMatchObject({ mac: macOf(1), addresses: ["10.0.0.1"], interface: "lan0" });
});

test("discovery: known devices are not discovered; that they leave and come back is an event", async () => {
  const { see, events, ledger, sightings, probed } = machine();
  ledger.change({ actor: "test", action: "create_device", resourceType: "device" }, (draft) =>
    draft.put("device", { id: "tv", name: "TV", mac: macOf(7), ips: [] } as { id: string }),
  );
  see(7);
  see(8);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(events).toMatchObject([{ name: "device.discovered", payload: { devices: [{ mac: macOf(8) }], omitted: 0 } }]);
  see(7, "STALE");
  see(8, "STALE");
  await vi.advanceTimersByTimeAsync(115_000);
  expect(probed).toEqual([]);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(probed).toEqual(["neigh replace 10.0.0.7 dev lan0 use", "neigh replace 10.0.0.8 dev lan0 use"]);
  for (let miss = 0; miss < 3; miss += 1) sightings.failed("10.0.0.7");
  await vi.advanceTimersByTimeAsync(10_000);
  const known = { devices: [{ device_id: "tv", name: "TV", mac: macOf(7), interface: "lan0" }], omitted: 0 };
  expect(events.slice(1)).toEqual([{ name: "device.offline", payload: known }]);
  see(7);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(events.slice(2)).toEqual([{ name: "device.online", payload: known }]);
});

test("discovery: host names of leases are learned, and what is known is written with few writes", async () => {
  const { see, leases, plane, stored, writes } = machine();
  see(7);
  leases.hostnames = [{ mac: macOf(7), hostname: "printer" }];
  await vi.advanceTimersByTimeAsync(61_000);
  expect(plane.get(macOf(7))?.facts).toMatchObject([{ field: "hostname", value: "printer", source: "lease" }]);
  for (let minute = 0; minute < 30; minute += 1) {
    see(7);
    await vi.advanceTimersByTimeAsync(60_000);
  }
  expect(writes()).toBeLessThanOrEqual(4);
  expect(JSON.parse(stored.get(macOf(7))!)).toMatchObject({ mac: macOf(7), facts: [{ value: "printer" }] });
  plane.close();
  expect(JSON.parse(stored.get(macOf(7))!).lastMs).toBe(Date.now());
});

test("discovery: what was collected is announced when it is closed, and nothing afterwards", async () => {
  const { see, events, plane } = machine();
  see(7);
  await vi.advanceTimersByTimeAsync(2000);
  expect(events).toEqual([]);
  plane.close();
  expect(events.map(({ name }) => name)).toEqual(["device.discovered"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("discovery: unknown cards are forgotten after 30 days, made-up ones after 7, known ones never", async () => {
  const { see, sightings, plane, ledger } = machine();
  ledger.change({ actor: "test", action: "create_device", resourceType: "device" }, (draft) =>
    draft.put("device", { id: "tv", name: "TV", mac: macOf(7), ips: [] } as { id: string }),
  );
  see(7, "STALE");
  see(8, "STALE");
  sightings.see({ mac: "00:00:00:00:00:09", address: "10.0.0.9", interface: "lan0", state: "STALE" }, true);
  const left = () => plane.all().map(({ mac }) => mac);
  vi.setSystemTime(Date.now() + 8 * 86_400_000);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(left().toSorted()).toEqual(["00:00:00:00:00:09", macOf(7)]);
  vi.setSystemTime(Date.now() + 23 * 86_400_000);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(left()).toEqual([macOf(7)]);
});

test("discovery: each source says whether it works; without the registry there are no vendors", () => {
  const { plane } = machine();
  const sources = plane.sources();
  expect(sources.filter(({ status }) => status === "working").map(({ source }) => source)).toEqual([
    "neighbours",
    "dhcp",
    "lease",
    "mdns",
    "ssdp",
  ]);
  expect(sources.at(-1)).toMatchObject({
    source: "vendors",
    status: "failed",
    reason: "The package ieee-data is not installed",
  });
  expect(plane.vendorOf(macOf(7))).toBeUndefined();
});
