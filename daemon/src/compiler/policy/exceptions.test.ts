import { because } from "@portcullis/contract/reason";
import { parseAddress } from "../../net/addresses.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { evaluate } from "./evaluate.ts";
import type { Facts } from "../input/facts.ts";
import { type Intent, type IntentException, noLinks } from "../input/intent.ts";
import { intentOf, type Resources } from "../input/read-document.ts";
import { noLinkResources } from "../input/read-links.ts";
import type { Packet } from "./packet.ts";

const facts: Facts = {
  links: [{ name: "lan0", up: true }],
  hops: [{ type: "vpn", target: "nl", interface: "wg0", up: true }],
};
const network = { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "block" } as const;
const macs = ["02:00:00:00:00:01", "02:00:00:00:00:02"] as const;
const start = Date.UTC(2030, 0, 1);

const exception: fc.Arbitrary<Omit<IntentException, "id">> = fc
  .record({
    sender: fc.constantFrom(
      { deviceId: "d1", mac: macs[0], ips: ["10.0.0.2"] },
      { deviceId: "d2", mac: macs[1], ips: [] },
      { deviceId: "d3", mac: null, ips: ["10.0.0.9", "fd00::9"] },
      { deviceId: "d4", mac: null, ips: [] },
    ),
    effect: fc.constantFrom("direct" as const, "quarantine" as const),
    destinations: fc.uniqueArray(
      fc.constantFrom("203.0.113.0/24", "203.0.113.9", "203.0.113.8/29", "2001:db8::/32", "0.0.0.0/0", "::/0"),
      { minLength: 1, maxLength: 3 },
    ),
    limited: fc.boolean(),
    untilMs: fc.oneof(
      fc.integer({ min: 1, max: 5 }).map((it) => start + it * 1000),
      fc.constant(null),
    ),
  })
  .map(({ sender, effect, destinations, limited, untilMs }) => ({
    ...sender,
    type: effect === "direct" ? "temporary-direct" : "quarantine",
    effect,
    destinations: limited && effect === "direct" ? destinations : [],
    untilMs,
  }));
const exceptions: fc.Arbitrary<IntentException[]> = fc
  .array(exception, { maxLength: 8 })
  .map((all) => all.map((it, place) => ({ ...it, id: `e${place}` })));
const packet: fc.Arbitrary<Packet> = fc.record({
  interface: fc.constant("lan0"),
  mac: fc.constantFrom(...macs, "02:00:00:00:00:03"),
  source: fc.constantFrom("10.0.0.2", "10.0.0.9", "fd00::9", "fd00::2").map((it) => parseAddress(it)!),
  destination: fc
    .constantFrom("203.0.113.9", "203.0.113.200", "198.51.100.1", "2001:db8::1", "2a00::1")
    .map((it) => parseAddress(it)!),
});

const intentWith = (all: readonly IntentException[]): Intent => ({
  network,
  devices: [],
  groups: [],
  policies: [
    {
      id: "p1",
      priority: 1,
      sourceType: "all",
      sourceValue: "",
      hops: [{ type: "vpn", target: "nl" }],
      failPolicy: "fail-closed",
      splitting: false,
    },
  ],
  exceptions: all,
  ...noLinks,
});
const decided = (all: readonly IntentException[], at: Packet) => {
  const intent = intentWith(all);
  return evaluate(at, decide(intent, facts), intent, facts);
};

/** Whether an exception matches a packet, computed without tables. */
function matches({ mac, ips, destinations }: IntentException, at: Packet): boolean {
  const isSender = mac === null ? ips.some((ip) => same(ip, at.source)) : mac === at.mac;
  return isSender && (destinations.length === 0 || destinations.some((it) => holds(it, at)));
}
const same = (text: string, address: Packet["source"]) => JSON.stringify(key(text)) === JSON.stringify(key(address!));
const key = (it: string | NonNullable<Packet["source"]>) => {
  const address = typeof it === "string" ? parseAddress(it)! : it;
  return [address.family, String(address.value)];
};
function holds(text: string, { destination }: Packet): boolean {
  const [base = "", bits] = text.split("/");
  const from = parseAddress(base)!;
  const width = from.family === 4 ? 32 : 128;
  const hidden = BigInt(width - Number(bits ?? width));
  return from.family === destination!.family && from.value >> hidden === destination!.value >> hidden;
}

test("exceptions: quarantine overrides every bypass, a bypass overrides every policy, and otherwise policies decide", () =>
  fc.assert(
    fc.property(exceptions, packet, (all, at) => {
      const matching = all.filter((it) => matches(it, at));
      const verdict = decided(all, at);
      const expected = matching.some(({ effect }) => effect === "quarantine")
        ? "block"
        : matching.length > 0
          ? "direct"
          : "egress";
      expect(verdict.outcome.kind).toBe(expected);
      expect(verdict.exception === undefined).toBe(matching.length === 0);
      expect(matching.length > 0 || JSON.stringify(verdict) === JSON.stringify(decided([], at))).toBe(true);
    }),
    { numRuns: 3000 },
  ));

test("exceptions: of several with the same effect, the table has the one that ends last", () =>
  fc.assert(
    fc.property(exceptions, packet, (all, at) => {
      const { exception: named } = decided(all, at);
      if (!named) return;
      const alike = all.filter(
        (it) =>
          matches(it, at) &&
          it.effect === named.effect &&
          (it.destinations.length === 0) === (named.destinations.length === 0),
      );
      const ends = alike.map(({ untilMs }) => untilMs ?? Infinity);
      // A packet may match by MAC and by address; the MAC has precedence.
      const mine = alike.filter((it) => (it.mac === null) === (named.mac === null));
      expect(ends).not.toEqual([]);
      expect(named.untilMs ?? Infinity).toBe(Math.max(...mine.map(({ untilMs }) => untilMs ?? Infinity)));
    }),
    { numRuns: 3000 },
  ));

test("exceptions: evaluate names the exception and its end", () => {
  const it: IntentException = {
    id: "e1",
    type: "captive-portal",
    effect: "direct",
    deviceId: "d1",
    mac: macs[0],
    ips: [],
    destinations: ["203.0.113.0/24"],
    untilMs: start,
  };
  const from = (destination: string) =>
    decided([it], {
      interface: "lan0",
      mac: macs[0],
      source: parseAddress("10.0.0.2")!,
      destination: parseAddress(destination)!,
    });
  expect(from("203.0.113.9")).toMatchObject({
    outcome: {
      kind: "direct",
      reason: because("exception_direct_until", { type: "captive-portal", until: "2030-01-01T00:00:00.000Z" }),
    },
    exception: { id: "e1" },
    trace: [],
  });
  expect(from("198.51.100.1")).toMatchObject({ outcome: { kind: "egress" }, policyId: "p1" });
});

test("exceptions: a quarantined device is blocked without end; an exception of a removed device matches nothing", () => {
  const device = {
    id: "d1",
    mac: macs[0],
    ips: [],
    state: "quarantined",
    group_ids: [],
    privacy_class: null,
    trust_class: null,
  };
  const resources = {
    device: [device],
    device_group: [],
    privacy_class: [],
    trust_class: [],
    routing_policy: [],
    profile: [],
    ...noLinkResources,
  } as unknown as Resources;
  const bypass = (device_id: string) => ({
    id: device_id,
    type: "emergency-bypass" as const,
    device_id,
    allow_direct: true,
    destinations: [],
    expires_at: "2030-01-01T00:00:00.000Z",
  });
  const { exceptions: all } = intentOf(resources, network, [bypass("d1"), bypass("gone")]);
  expect(all.map(({ id, effect, untilMs }) => [id, effect, untilMs])).toEqual([
    [null, "quarantine", null],
    ["d1", "direct", start],
  ]);
  expect(decided(all, { mac: macs[0] })).toMatchObject({
    outcome: { kind: "block", reason: because("quarantined") },
  });
});
