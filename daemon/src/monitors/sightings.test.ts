import { expect, test } from "vitest";
import { openSightings, type Sighting } from "./sightings.ts";

const [tv, nas] = ["02:00:00:00:00:07", "02:00:00:00:00:08"] as const;

function machine(known: readonly string[] = [], files = new Map<string, string>()) {
  let now = 1000;
  const discovered: Sighting[] = [];
  const sightings = openSightings({
    system: {
      readText: (path) => files.get(path),
      writeAtomically: (path, text) => void files.set(path, String(text)),
    },
    file: "/run/discovered.json",
    nowMs: () => now,
    isKnown: ({ mac }) => known.includes(mac),
    onDiscovered: (it) => void discovered.push(it),
  });
  const see = (mac: string, address: string, state: string, isLive = true) =>
    sightings.see({ mac, address, state, interface: "lan0" }, isLive);
  return { sightings, see, discovered, files, pass: (ms: number) => void (now += ms) };
}

test("sightings: a reachable neighbour is seen now, and one that no longer is was last seen when that ended", () => {
  const { sightings, see, pass } = machine();
  see(tv, "10.0.0.7", "REACHABLE");
  pass(5000);
  expect(sightings.lastSeenMs(tv)).toBe(6000);
  see(tv, "10.0.0.7", "STALE");
  pass(5000);
  see(tv, "10.0.0.7", "PROBE"); // The gateway probes; that is no sign of the device.
  expect(sightings.lastSeenMs(tv)).toBe(6000);
  see(tv, "10.0.0.7", "REACHABLE");
  pass(1000);
  sightings.gone("10.0.0.7");
  pass(1000);
  expect([sightings.lastSeenMs(tv), sightings.lastSeenMs(nas)]).toEqual([12_000, null]);
});

test("sightings: an old entry of the table has no time", () => {
  const { sightings, see } = machine();
  see(tv, "10.0.0.7", "STALE", false);
  expect(sightings.unknown(9)).toEqual([
    { mac: tv, interface: "lan0", addresses: ["10.0.0.7"], firstMs: 1000, lastMs: null },
  ]);
});

test("sightings: an unknown device is listed with its addresses and announced once, also after a restart; a known one is neither", () => {
  const first = machine([nas]);
  first.see(tv, "10.0.0.7", "STALE");
  first.see(tv, "fd00::7", "REACHABLE");
  first.see(nas, "10.0.0.8", "REACHABLE");
  first.see("01:00:5e:00:00:16", "224.0.0.22", "REACHABLE");
  expect(first.sightings.unknown(9)).toMatchObject([{ mac: tv, addresses: ["fd00::7", "10.0.0.7"], lastMs: 1000 }]);
  expect(first.discovered).toMatchObject([{ mac: tv, addresses: ["10.0.0.7"] }]);
  const next = machine([], first.files);
  next.see(tv, "10.0.0.7", "REACHABLE");
  next.see(nas, "10.0.0.8", "REACHABLE");
  expect(next.discovered.map(({ mac }) => mac)).toEqual([nas]);
});

test("sightings: invented cards are bounded in memory and in events per minute", () => {
  const { sightings, see, discovered, pass } = machine();
  const card = (n: number) =>
    `02:00:00:00:${(n >> 8).toString(16).padStart(2, "0")}:${(n & 255).toString(16).padStart(2, "0")}`;
  for (let n = 0; n < 5000; n += 1) see(card(n), "10.0.0.7", "STALE");
  expect([sightings.unknown(10_000).length, discovered.length]).toEqual([4096, 30]);
  pass(60_001);
  see(card(5001), "10.0.0.7", "STALE");
  expect(discovered).toHaveLength(31);
  for (let n = 0; n < 100; n += 1) see(card(1), `10.0.1.${n}`, "STALE");
  expect(sightings.unknown(1)[0]!.addresses).toHaveLength(32);
});

test("sightings: an incomplete file is read as empty", () => {
  const { see, discovered } = machine([], new Map([["/run/discovered.json", '["02:00']]));
  see(tv, "10.0.0.7", "REACHABLE");
  expect(discovered).toHaveLength(1);
});
