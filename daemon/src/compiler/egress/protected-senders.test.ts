import { type Address, contains, parseAddress, parseNetwork } from "../../net/addresses.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { intentWith, network, policy, vpn } from "../../../../testing/intent.ts";
import { anyIntent, anyPacket, factsOfAny } from "../../../../testing/random-policies.ts";
import type { ProtectedSources } from "../../engines/nftables/sources/sources.model.ts";
import { decide } from "../policy/decide.ts";
import { decisionOn } from "../policy/evaluate.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent } from "../input/intent.ts";
import { outgoingInterfaces } from "../policy/outcome.ts";
import { protectedSources } from "./protected-senders.ts";
import type { Packet } from "../policy/packet.ts";

const [phone, television] = ["02:00:00:00:00:01", "02:00:00:00:00:02"];
const facts: Facts = {
  links: [{ name: "lan0", up: true }],
  hops: [
    { type: "vpn", target: "nl", interface: "wg0", up: true },
    { type: "interface", target: "wan", interface: "wan0", up: true },
  ],
};
const device = (id: string, mac: string | null, ips: readonly string[] = []) => ({
  id,
  mac,
  ips,
  groupIds: [],
  requiresTunnel: false,
});
const devices = [device("phone", phone), device("tv", television), device("printer", null, ["10.0.0.9", "fd00::9"])];
const of = (id: string, over = {}) =>
  policy(id, { sourceType: "device", sourceValue: id, hops: vpn("nl"), priority: 5, ...over });
const uplink = [{ type: "interface" as const, target: "wan" }];
const sources = (policies: Intent["policies"], over: Partial<Intent> = {}): ProtectedSources => {
  const intent = intentWith({ devices, policies, ...over });
  return protectedSources(decide(intent, facts), intent.network, facts);
};

test("a device is protected by its MAC, one without a MAC by its addresses", () => {
  expect(sources([of("phone"), of("printer")])).toEqual({
    macs: [phone],
    exempt: [],
    v4: ['"lan0" . 10.0.0.9'],
    v6: ['"lan0" . fd00::9'],
  });
});

test("a device that may leave by an uplink is not protected", () => {
  expect(sources([of("phone", { failPolicy: "fail-open" })]).macs).toEqual([]);
  expect(sources([of("phone", { hops: uplink })]).macs).toEqual([]);
  expect(sources([]).macs).toEqual([]);
});

test("a device whose hops are down, or that is only blocked, is protected", () => {
  expect(sources([of("phone", { hops: vpn("gone") })]).macs).toEqual([phone]);
  expect(sources([of("phone", { hops: [] })]).macs).toEqual([phone]);
});

test("an uplink for some destinations takes protection from those whose policy comes later", () => {
  const open = policy("tv sites", { sourceType: "domain", sourceValue: "tv.example", hops: uplink, priority: 5 });
  expect(sources([of("phone", { priority: 9 }), { ...open }]).macs).toEqual([]);
  expect(sources([of("phone", { priority: 1 }), { ...open }]).macs).toEqual([phone]);
});

test("a LAN is protected as a whole, but for a device that an earlier policy sends direct", () => {
  const lan = policy("all", { hops: vpn("nl"), priority: 9 });
  const television1 = of("tv", { hops: uplink });
  expect(sources([lan, television1])).toEqual({
    macs: [],
    exempt: [television],
    v4: ['"lan0" . 0.0.0.0/0'],
    v6: ['"lan0" . ::/0'],
  });
  expect(sources([lan, { ...television1, priority: 20 }]).exempt).toEqual([]);
});

test("the guard never drops what a policy sends by an uplink", () => {
  let [tried, dropped] = [0, 0];
  fc.assert(
    fc.property(anyIntent, anyPacket, (intent, packet) => {
      tried += 1;
      const decisions = decide(intent, factsOfAny);
      const held = protectedSources(decisions, intent.network, factsOfAny);
      if (!isDropped(packet, held)) return;
      dropped += 1;
      const { outcome } = decisionOn(packet, decisions, intent);
      const failsOpen = "failsOpen" in outcome && outcome.failsOpen;
      expect({ failsOpen, egresses: outgoingInterfaces(outcome, network.wan) }).toEqual({
        failsOpen: false,
        egresses: expect.not.arrayContaining([network.wan]),
      });
    }),
    { numRuns: 5000 },
  );
  console.log(`protected sources: ${dropped} of ${tried} packets dropped`);
  expect(dropped).toBeGreaterThan(tried / 50); // In the gate time is limited, not the number of runs.
});

test("without a policy that leaves by an uplink the guard drops every sender that has a policy", () =>
  fc.assert(
    fc.property(anyIntent, anyPacket, (intent, packet) => {
      const policies = intent.policies
        .filter(({ failPolicy, hops }) => failPolicy !== "fail-open" && !hops.some(({ target }) => target === "wan"))
        .filter(({ sourceType }) => sourceType !== "destination" && sourceType !== "domain");
      const closed = { ...intent, policies };
      const decisions = decide(closed, factsOfAny);
      const isKnown = packet.source !== undefined && decisions.ranked.length > 0;
      const { outcome } = decisionOn(packet, decisions, closed);
      if (!isKnown || outcome.kind === "direct" || outcome.reason.code === "default_egress") return;
      expect(isDropped(packet, protectedSources(decisions, closed.network, factsOfAny))).toBe(true);
    }),
    { numRuns: 3000 },
  ));

/** What the guard's rules say of a packet that steering sends by an uplink. */
function isDropped({ interface: name, mac, source }: Packet, { macs, exempt, v4, v6 }: ProtectedSources): boolean {
  if (macs.includes(mac!)) return true;
  if (exempt.includes(mac!) || !source) return false;
  return (source.family === 4 ? v4 : v6).some((key) => {
    const [, lan, range] = /^"(.+)" \. (.+)$/.exec(key)!;
    return lan === name && isWithin(range!, source);
  });
}

function isWithin(range: string, address: Address): boolean {
  const [first, last] = range.split("-").map((text) => parseAddress(text));
  if (first && last) return first.value <= address.value && address.value <= last.value;
  return contains(parseNetwork(range)!, address);
}
