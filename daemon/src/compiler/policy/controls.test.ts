import { parseAddress } from "../../net/addresses.ts";
import { type Control, controls, effectiveControls, defaultPrivacy } from "@portcullis/contract/privacy-controls";
import fc from "fast-check";
import { expect, test } from "vitest";
import { intentWith, namesWith, network } from "../../../../testing/intent.ts";
import { announceSeed } from "../../../../testing/seed.ts";
import { controlBits } from "../../engines/nftables/nftables.model.ts";
import { controlKeys, controlTables } from "./controls.ts";
import { decide } from "./decide.ts";
import { encryptedResolvers } from "./encrypted-resolvers.ts";
import { evaluate } from "./evaluate.ts";
import type { Facts } from "../input/facts.ts";
import { intentOf, type Resources } from "../input/read-document.ts";
import type { Packet } from "./packet.ts";

announceSeed("controls");

const facts: Facts = { links: [], hops: [] };
const voice = fc.record({
  dns_mode: fc.constantFrom("off" as const, "device" as const, "system" as const),
  force_dns: fc.boolean(),
  block_doh: fc.boolean(),
  block_ipv6: fc.boolean(),
  block_webrtc: fc.boolean(),
});
const own = fc.record(
  Object.fromEntries(controls.map((it) => [it, fc.constantFrom(null, true, false)])) as Record<
    Control,
    fc.Arbitrary<boolean | null>
  >,
);
const classes = ["strict", "loose"];
const intent = fc.record({
  system: fc.option(voice, { nil: undefined }),
  classes: fc.tuple(voice, voice),
  devices: fc.array(
    fc.record({
      own,
      privacy_class: fc.constantFrom(null, ...classes),
      trust_class: fc.constantFrom(null, "trusted", "plain"),
      isByMac: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
});

function resourcesOf({ system, classes: says, devices }: RandomIntent): Resources {
  return {
    device: devices.map((it, place) => ({
      id: `d${place}`,
      name: `d${place}`,
      mac: it.isByMac ? macOf(place) : null,
      ips: it.isByMac ? [] : [addressOf(place)],
      group_ids: [],
      state: "approved",
      privacy_class: it.privacy_class,
      trust_class: it.trust_class,
      ...it.own,
    })),
    device_group: [],
    privacy_class: classes.map((id, place) => ({ id, name: id, log_level: "full", ...says[place]! })),
    trust_class: [
      { id: "trusted", default_privacy_class: "loose" },
      { id: "plain", default_privacy_class: null },
    ],
    routing_policy: [],
    profile: [],
    uplinks: [],
    tunnel: [],
    proxy: [],
    bridge: [],
    splitting_endpoint: [],
    privacy: system ? [{ id: "privacy", ...system }] : [],
  } as unknown as Resources;
}
type RandomIntent = typeof intent extends fc.Arbitrary<infer T> ? T : never;
const macOf = (place: number): string => `02:00:00:00:00:0${place}`;
const addressOf = (place: number): string => `10.0.0.1${place}`;

test("controls: the kernel's tables have the controls of the most specific setting for every sender", () =>
  fc.assert(
    fc.property(intent, (it) => {
      const keys = controlKeys()(controlTables(intentOf(resourcesOf(it), network, [])));
      const system = { ...defaultPrivacy, ...it.system };
      const bits = (held: ReturnType<typeof effectiveControls>) =>
        controls.reduce((sum, control) => sum | (held[control].on ? controlBits[control] : 0), 0);
      for (const [place, device] of it.devices.entries()) {
        const byTrust = device.trust_class === "trusted" ? "loose" : null;
        const held = classes.indexOf(device.privacy_class ?? byTrust ?? "");
        const expected = bits(effectiveControls(device.own, it.classes[held], system));
        const found = device.isByMac
          ? keys.mac.find(({ key }) => key === macOf(place))
          : keys.v4.find(({ key }) => key === addressOf(place));
        expect(found?.on ?? keys.others).toBe(expected);
      }
      expect(keys.others).toBe(bits(effectiveControls({}, undefined, system)));
    }),
  ));

test("controls: without controls, all tables are empty", () => {
  const devices = [device("a", []), { ...device("b", []), mac: null, ips: ["10.0.0.9"] }];
  expect(controlKeys()(controlTables(intentWith({ devices })))).toMatchObject({ mac: [], v4: [], v6: [], others: 0 });
});

test("controls: equal tables are the identical object, so that nothing is written", () => {
  const keys = controlKeys();
  const intent = intentWith({
    devices: [device("a", ["block_doh"]), device("b", [])],
  });
  const first = keys(controlTables(intent));
  expect(keys(controlTables({ ...intent, devices: intent.devices.map((it) => ({ ...it })) }))).toBe(first);
  expect(first.mac).toEqual([{ key: "02:00:00:00:00:0a", on: controlBits.block_doh }]); // Who has nothing needs no place.
  expect(keys(controlTables({ ...intent, controlsOfUnknown: ["block_ipv6"] })).mac).toHaveLength(2);
});

function device(id: string, on: readonly Control[]) {
  return { id, mac: `02:00:00:00:00:0${id}`, ips: [], groupIds: [], requiresTunnel: false, controls: on };
}

const decided = (on: readonly Control[], packet: Partial<Packet>, answering = true, over: object = {}) => {
  const intent = intentWith({
    devices: [device("a", on)],
    dns: answering ? namesWith() : null,
    ...over,
  });
  const { outcome, control } = evaluate(
    { interface: "lan0", mac: "02:00:00:00:00:0a", ...packet },
    decide(intent, facts),
    intent,
    facts,
  );
  return [outcome.kind, control];
};
const to = (text: string) => ({ destination: parseAddress(text) });

test("controls: evaluate names the control that blocks a packet", () => {
  const all = controls;
  const dns = { ...to("192.0.2.1"), protocol: "udp", port: 53 } as const;
  expect(decided(["force_dns"], dns)).toEqual(["local", "force_dns"]);
  expect(decided(["force_dns"], dns, false)).toEqual(["block", "force_dns"]);
  expect(decided(["block_doh", "block_ipv6", "block_webrtc"], dns)).toEqual(["direct", undefined]);
  expect(decided(all, { ...dns, protocol: "icmp" })).toEqual(["direct", undefined]);

  expect(decided(["block_doh"], { ...to("192.0.2.1"), protocol: "tcp", port: 853 })).toEqual(["block", "block_doh"]);
  expect(decided(["block_doh"], { ...to("9.9.9.9"), protocol: "udp", port: 443 })).toEqual(["block", "block_doh"]);
  expect(decided(["block_doh"], { ...to("2a07:a8c0::1"), protocol: "tcp", port: 443 })).toEqual(["block", "block_doh"]);
  expect(decided(["block_doh"], { ...to("192.0.2.1"), protocol: "tcp", port: 443 })).toEqual(["direct", undefined]);

  expect(decided(["block_webrtc"], { ...to("192.0.2.1"), protocol: "udp", port: 19305 })).toEqual([
    "block",
    "block_webrtc",
  ]);
  expect(decided(["block_webrtc"], { ...to("192.0.2.1"), protocol: "udp", port: 19310 })).toEqual([
    "direct",
    undefined,
  ]);

  expect(decided(["block_ipv6"], to("2001:db8::1"))).toEqual(["block", "block_ipv6"]);
  expect(decided(["block_ipv6"], to("192.0.2.1"))).toEqual(["direct", undefined]);
});

test("controls: a bypass overrides controls, for its destinations", () => {
  const exception = (destinations: readonly string[]) => ({
    exceptions: [
      {
        id: "e",
        type: "emergency-bypass",
        effect: "direct" as const,
        deviceId: "a",
        mac: "02:00:00:00:00:0a",
        ips: [],
        destinations,
        untilMs: null,
      },
    ],
  });
  const dot = { protocol: "tcp", port: 853 } as const;
  expect(decided(controls, { ...to("192.0.2.1"), ...dot }, true, exception([]))).toEqual(["direct", undefined]);
  expect(decided(controls, { ...to("192.0.2.1"), ...dot }, true, exception(["192.0.2.1"]))).toEqual([
    "direct",
    undefined,
  ]);
  expect(decided(controls, { ...to("192.0.2.2"), ...dot }, true, exception(["192.0.2.1"]))).toEqual([
    "block",
    "block_doh",
  ]);
});

test("controls: an unknown sender has the default controls", () => {
  const intent = intentWith({ devices: [device("a", [])], controlsOfUnknown: ["block_ipv6"] });
  const decisions = decide(intent, facts);
  const by = (mac: string) =>
    evaluate({ interface: "lan0", mac, ...to("2001:db8::1") }, decisions, intent, facts).control;
  expect([by("02:00:00:00:00:0a"), by("02:00:00:00:00:0b")]).toEqual([undefined, "block_ipv6"]);
});

test("encrypted resolvers: each has an operator, a source and a name, and no address occurs twice", () => {
  const addresses = encryptedResolvers.flatMap((it) => it.addresses);
  expect(new Set(addresses).size).toBe(addresses.length);
  expect(
    encryptedResolvers.filter(({ operator, source, names }) => !operator || !source || names.length === 0),
  ).toEqual([]);
  expect(encryptedResolvers.length).toBeGreaterThanOrEqual(40);
});
