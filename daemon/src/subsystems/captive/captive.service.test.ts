import { expect, test } from "vitest";
import { portalIn } from "./captive.service.ts";

const probe = { url: "http://probe.test/", host: "probe.test", addresses: ["203.0.113.1"] };
const gate = { url: "http://gate.test/?x=1", host: "gate.test", addresses: ["192.0.2.7", "2001:db8::7"] };
const inside = ["10.0.0.0/24", "192.0.2.1/32", "fd00::/64"];

test("captive portal: the portal is the target of the redirect, not the probe URL", () =>
  expect(
    portalIn({
      state: "captive",
      steps: [probe, gate, { ...gate, host: "192.0.2.8", addresses: ["192.0.2.8"] }],
      inside,
    }),
  ).toEqual({
    url: gate.url,
    addresses: ["192.0.2.7", "2001:db8::7", "192.0.2.8"],
    answers: [{ name: "gate.test", addresses: ["192.0.2.7", "2001:db8::7"] }],
    refused: [],
  }));

test("captive portal: who answers in the place of the page is the portal itself", () =>
  expect(portalIn({ state: "captive", steps: [probe], inside })).toMatchObject({
    url: probe.url,
    addresses: ["203.0.113.1"],
    answers: [{ name: "probe.test" }],
  }));

test.each(["open", "offline"] as const)("captive portal: there is none where we are %s", (state) =>
  expect(portalIn({ state, steps: [probe, gate], inside })).toEqual({
    url: null,
    addresses: [],
    answers: [],
    refused: [],
  }),
);

test.each([
  "127.0.0.1",
  "0.0.0.0",
  "169.254.1.1",
  "224.0.0.1",
  "255.255.255.255",
  "::1",
  "::",
  "fe80::1",
  "ff02::1",
  "10.0.0.9",
  "fd00::9",
  "192.0.2.1",
  "::ffff:127.0.0.1",
])("captive portal: a portal that says it is at %s is not believed", (address) => {
  const portal = portalIn({ state: "captive", steps: [probe, { ...gate, addresses: [address] }], inside });
  expect([portal.addresses, portal.answers, portal.refused]).toEqual([
    [],
    [],
    [expect.objectContaining({ code: "portal_refused" })],
  ]);
});

test("captive portal: however many addresses it says it has, sixteen are opened", () => {
  const addresses = Array.from({ length: 99 }, (_, at) => `198.51.100.${at}`);
  const portal = portalIn({ state: "captive", steps: [probe, { ...gate, addresses }], inside });
  expect([portal.addresses.length, portal.answers[0]!.addresses.length]).toEqual([16, 16]);
});
