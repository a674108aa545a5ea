import { expect, test } from "vitest";
import { openSightings, type StoredCard } from "./sightings.ts";

const [tv, nas] = ["02:00:00:00:00:07", "02:00:00:00:00:08"] as const;

function machine(stored: readonly StoredCard[] = [], startMs = 1000) {
  let now = startMs;
  const sightings = openSightings({ nowMs: () => now });
  sightings.restore(stored);
  const see = (mac: string, address: string, state: string, isLive = true) =>
    sightings.see({ mac, address, state, interface: "lan0" }, isLive);
  const pass = (ms: number) => void (now += ms);
  const macs = () => {
    const { discovered, online, offline } = sightings.transitions();
    return [discovered, online, offline].map((all) => all.map(({ mac }) => mac));
  };
  return { sightings, see, pass, macs };
}
const nothing = [[], [], []];

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

test("sightings: an old entry of the table has no time, and its device is not online until it answers", () => {
  const { sightings, see } = machine();
  see(tv, "10.0.0.7", "STALE", false);
  expect(sightings.get(tv)).toEqual({
    number: 1,
    mac: tv,
    interface: "lan0",
    addresses: [{ address: "10.0.0.7", seenMs: 1000 }],
    facts: [],
    firstMs: 1000,
    lastMs: null,
    isOnline: false,
  });
  expect(sightings.toProbe(9)).toEqual([{ address: "10.0.0.7", interface: "lan0" }]);
  expect(sightings.toProbe(9)).toEqual([]);
  see(tv, "10.0.0.7", "REACHABLE");
  expect(sightings.get(tv)).toMatchObject({ isOnline: true, lastMs: 1000 });
});

test("sightings: a card is discovered once, is offline when it was probed three times in vain, and online again with the next sign", () => {
  const { sightings, see, pass, macs } = machine();
  see(tv, "10.0.0.7", "REACHABLE");
  expect(macs()).toEqual([[tv], [], []]);
  expect(macs()).toEqual(nothing);
  see(tv, "10.0.0.7", "STALE");
  pass(119_000);
  expect(sightings.toProbe(9)).toEqual([]);
  pass(1000);
  for (let miss = 1; miss <= 3; miss += 1) {
    expect(macs()).toEqual(nothing);
    expect(sightings.toProbe(9)).toEqual([{ address: "10.0.0.7", interface: "lan0" }]);
    sightings.failed("10.0.0.7");
    expect(sightings.toProbe(9)).toEqual([]);
    pass(20_000);
  }
  expect(sightings.get(tv)?.isOnline).toBe(false);
  expect(macs()).toEqual([[], [], [tv]]);
  expect([macs(), sightings.toProbe(9)]).toEqual([nothing, []]);
  see(tv, "10.0.0.7", "STALE");
  expect(macs()).toEqual([[], [tv], []]);
});

test("sightings: a static entry of the kernel is not probed, and is once it is an ordinary one", () => {
  const { sightings, see, pass } = machine();
  see(tv, "10.0.0.7", "PERMANENT");
  pass(200_000);
  expect(sightings.toProbe(9)).toEqual([]);
  see(tv, "10.0.0.7", "STALE");
  pass(200_000);
  expect(sightings.toProbe(9)).toEqual([{ address: "10.0.0.7", interface: "lan0" }]);
});

test("sightings: an answer between two probes, or a message of the device, starts anew", () => {
  const { sightings, see, pass, macs } = machine();
  see(tv, "10.0.0.7", "STALE");
  macs();
  for (let round = 0; round < 4; round += 1) {
    pass(120_000);
    sightings.failed("10.0.0.7");
    sightings.failed("10.0.0.7");
    sightings.learn(tv, [], true);
  }
  expect([macs(), sightings.get(tv)?.isOnline]).toEqual([nothing, true]);
});

test("sightings: a card that cannot be probed is offline ten minutes after its last sign", () => {
  const { see, pass, macs } = machine();
  see(tv, "10.0.0.7", "STALE");
  macs();
  pass(600_000);
  expect(macs()).toEqual(nothing);
  pass(1);
  expect(macs()).toEqual([[], [], [tv]]);
});

test("sightings: what a DHCP client said before it had an address belongs to its card, and each source has its newest value", () => {
  const { sightings, see, pass } = machine();
  const fact = (value: string, seenMs: number) => ({ field: "hostname", value, source: "dhcp", seenMs }) as const;
  sightings.learn(tv, [fact("old", 1000)], true);
  expect(sightings.get(tv)).toBeUndefined();
  see(tv, "10.0.0.7", "REACHABLE");
  expect(sightings.get(tv)?.facts).toEqual([fact("old", 1000)]);
  pass(5);
  sightings.learn(tv, [fact("new", 1005), { ...fact("other", 1005), source: "mdns" }], true);
  expect(sightings.get(tv)?.facts.map(({ value }) => value)).toEqual(["new", "other"]);
  expect([sightings.macOf("10.0.0.7"), sightings.macOf("10.0.0.8")]).toEqual([tv, undefined]);
});

test("sightings: cards outlive a restart without an event; one that is gone meanwhile is offline once it was probed", () => {
  const first = machine();
  first.see(tv, "10.0.0.7", "STALE");
  first.see(tv, "fd00::7", "REACHABLE");
  first.see(nas, "10.0.0.8", "REACHABLE");
  first.macs();
  const { cards } = first.sightings.unstored(0);
  expect(cards.map(({ mac }) => mac)).toEqual([tv, nas]);
  const next = machine(JSON.parse(JSON.stringify(cards)) as StoredCard[], 9_000_000);
  expect(next.macs()).toEqual(nothing);
  expect(next.sightings.get(tv)).toMatchObject({ number: 1, firstMs: 1000, isOnline: false });
  expect(next.sightings.get(tv)?.addresses.map(({ address }) => address)).toEqual(["fd00::7", "10.0.0.7"]);
  expect(next.sightings.toProbe(9).map(({ address }) => address)).toEqual(["10.0.0.7", "10.0.0.8"]);
  next.see(tv, "10.0.0.7", "REACHABLE");
  for (let miss = 0; miss < 3; miss += 1) next.sightings.failed("10.0.0.8");
  expect(next.macs()).toEqual([[], [], [nas]]);
  expect(next.sightings.get(tv)?.isOnline).toBe(true);
  next.see("02:00:00:00:00:09", "10.0.0.9", "REACHABLE");
  expect(next.sightings.get("02:00:00:00:00:09")?.number).toBe(3);
});

test("sightings: only what changed is written, and the time of a card now and then", () => {
  const { sightings, see, pass } = machine();
  const written = (afterMs: number) => sightings.unstored(afterMs).cards.map(({ mac }) => mac);
  see(tv, "10.0.0.7", "STALE");
  see(nas, "10.0.0.8", "STALE");
  expect([written(900_000), written(900_000)]).toEqual([[tv, nas], []]);
  pass(1000);
  see(tv, "10.0.0.7", "STALE");
  expect(written(900_000)).toEqual([]);
  see(nas, "10.0.0.9", "STALE");
  expect(written(900_000)).toEqual([nas]);
  pass(900_001);
  see(tv, "10.0.0.7", "STALE");
  expect([written(900_000), written(0)]).toEqual([[tv], []]);
});

test("sightings: cards not seen for long are forgotten, also in the store, unless they are kept", () => {
  const { sightings, see, pass } = machine();
  see(tv, "10.0.0.7", "STALE");
  see(nas, "10.0.0.8", "STALE");
  pass(1000);
  sightings.forget(2000, ({ mac }) => mac === nas);
  expect(sightings.all().map(({ mac }) => mac)).toEqual([nas]);
  expect(sightings.unstored(0).removed).toEqual([tv]);
  expect(sightings.unstored(0).removed).toEqual([]);
});

test("sightings: invented cards, addresses and messages are bounded; group addresses are no cards", () => {
  const { sightings, see, pass } = machine();
  const card = (n: number) =>
    `02:00:00:00:${(n >> 8).toString(16).padStart(2, "0")}:${(n & 255).toString(16).padStart(2, "0")}`;
  for (let n = 0; n < 17_000; n += 1) see(card(n), "10.0.0.7", "STALE");
  expect([sightings.all().length, sightings.all()[0]?.mac]).toEqual([16_384, card(16_999)]);
  for (let n = 0; n < 100; n += 1) see(card(1), `10.0.1.${n}`, "STALE");
  expect(sightings.get(card(1))!.addresses).toHaveLength(32);
  pass(120_000);
  expect(sightings.toProbe(200)).toHaveLength(200);
  see("01:00:5e:00:00:16", "224.0.0.22", "REACHABLE");
  expect(sightings.get("01:00:5e:00:00:16")).toBeUndefined();
});
