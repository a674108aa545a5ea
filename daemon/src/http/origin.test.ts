import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { announceSeed } from "../../../testing/seed.ts";
import { type Arrival, crossOriginReason } from "./origin.ts";

announceSeed("origin");

const ownNames = ["gateway.lan", "router"];
const isForeign = (arrival: Partial<Arrival>): boolean =>
  crossOriginReason(
    { host: "localhost:8080", origin: undefined, fetchSite: undefined, localAddress: "127.0.0.1", ...arrival },
    ownNames,
  ) !== undefined;

describe("origin check: a host is our own", () => {
  test.each([
    ["localhost"],
    ["localhost:8080"],
    ["LOCALHOST:8080"],
    ["localhost."],
    ["localhost.:8080"],
    ["gateway.lan"],
    ["Gateway.LAN:443"],
    ["gateway.lan."],
    ["router"],
    ["127.0.0.1"],
    ["127.0.0.1:8080"],
    ["[::ffff:127.0.0.1]:8080"],
    ["[::ffff:7f00:1]"],
  ])("when it is called %s", (host) => expect(isForeign({ host })).toBe(false));

  test.each([
    ["[::1]", "::1"],
    ["[::1]:8080", "::1"],
    ["[0:0:0:0:0:0:0:1]", "::1"],
    ["[FD00::A]:80", "fd00::a"],
    ["[fe80::1]", "fe80::1%eth0"],
    ["127.0.0.1", "::ffff:127.0.0.1"],
  ])("when it is called %s and the connection came to %s", (host, localAddress) =>
    expect(isForeign({ host, localAddress })).toBe(false),
  );
});

describe("origin check: a host is not our own", () => {
  test.each([
    [undefined],
    [""],
    ["evil.example"],
    ["localhost.evil.example"],
    ["evil.localhost"],
    ["gateway.lan.evil.example"],
    ["notgateway.lan"],
    ["gateway.lan.."],
    ["127.0.0.2"],
    ["127.0.0.1.nip.io"],
    ["127.1"],
    ["2130706433"],
    ["0x7f000001"],
    ["0177.0.0.1"],
    ["0.0.0.0"],
    ["[::1]"],
    ["[::]"],
    ["::1"],
    ["127.0.0.1:8080:9090"],
    ["127.0.0.1:"],
    ["127.0.0.1:port"],
    ["user@localhost"],
    ["localhost/path"],
    ["localhost localhost"],
    ["[localhost]"],
    ["127.0.0.1%eth0"],
    ["localhost\u0000"],
  ])("when it is called %j", (host) => expect(isForeign({ host })).toBe(true));

  test.each([
    ["[::2]", "::1"],
    ["[fe80::2]", "fe80::1%eth0"],
    ["127.0.0.1", "::1"],
    ["192.168.1.1", "127.0.0.1"],
  ])("when it is called %s and the connection came to %s", (host, localAddress) =>
    expect(isForeign({ host, localAddress })).toBe(true),
  );
});

describe("origin check: a page may change the gateway", () => {
  test.each([
    ["localhost:8080", "http://localhost:8080"],
    ["localhost:8080", "http://LOCALHOST:8080"],
    ["LocalHost", "https://localhost"],
    ["gateway.lan", "https://gateway.lan"],
    ["127.0.0.1:8080", "http://127.0.0.1:8080"],
  ])("of host %s when it comes from %s", (host, origin) => expect(isForeign({ host, origin })).toBe(false));

  test.each([["same-origin"], ["none"], [undefined]])("when its site is %s", (fetchSite) =>
    expect(isForeign({ fetchSite })).toBe(false),
  );
});

describe("origin check: a page may not change the gateway", () => {
  test.each([
    ["null"],
    [""],
    ["http://evil.example"],
    ["http://localhost"],
    ["http://localhost:8081"],
    ["http://localhost:8080.evil.example"],
    ["http://localhost:8080@evil.example"],
    ["http://evil.example#localhost:8080"],
    ["http://localhost:8080/"],
    ["ftp://localhost:8080"],
    ["file://"],
    ["chrome-extension://localhost:8080"],
    ["localhost:8080"],
    ["http://127.0.0.1:8080"],
    ["http://localhost:8080 http://localhost:8080"],
  ])("when it comes from %j", (origin) => expect(isForeign({ origin })).toBe(true));

  test.each([["cross-site"], ["same-site"], ["CROSS-SITE"], ["same-origin, cross-site"], [""], ["whatever"]])(
    "when its site is %j",
    (fetchSite) => expect(isForeign({ fetchSite })).toBe(true),
  );
});

test("origin check: no name but our own is ours, however it is written", () =>
  fc.assert(
    fc.property(fc.domain(), fc.option(fc.integer({ min: 0, max: 65_535 })), (name, port) => {
      fc.pre(!ownNames.includes(name.toLowerCase()));
      const host = port === null ? name : `${name}:${port}`;
      expect(isForeign({ host })).toBe(true);
      expect(isForeign({ host, origin: `http://${host}`, fetchSite: "same-origin" })).toBe(true);
    }),
  ));

test("origin check: an address is ours exactly when the connection came to it", () =>
  fc.assert(
    fc.property(fc.ipV4(), fc.ipV4(), (host, localAddress) => {
      expect(isForeign({ host, localAddress })).toBe(host !== localAddress);
      expect(isForeign({ host, localAddress: `::ffff:${localAddress}` })).toBe(host !== localAddress);
      expect(isForeign({ host: localAddress, localAddress })).toBe(false);
    }),
  ));

test("origin check: every spelling of an IPv6 address is the address", () =>
  fc.assert(
    fc.property(fc.ipV6(), fc.boolean(), (address, shouting) => {
      const host = `[${shouting ? address.toUpperCase() : address}]:8080`;
      expect(isForeign({ host, localAddress: address })).toBe(false);
    }),
  ));

test("origin check: an origin with one sign more or less than the host is foreign", () =>
  fc.assert(
    fc.property(fc.nat({ max: 20 }), fc.string({ minLength: 1, maxLength: 3 }), (at, more) => {
      const own = "http://localhost:8080";
      const origin = own.slice(0, at) + more + own.slice(at);
      fc.pre(origin.toLowerCase() !== own);
      // A scheme may be http or https: a proxy in front may have taken the encryption off.
      fc.pre(origin.toLowerCase() !== "https://localhost:8080");
      expect([isForeign({ origin }), isForeign({ origin: own })]).toEqual([true, false]);
    }),
  ));

const odd = fc.constantFrom(
  "a",
  ".",
  ":",
  "[",
  "]",
  "@",
  "/",
  "%",
  "\0",
  "\n",
  "\x7f",
  "\xff",
  "\u2028",
  "ı",
  "１",
  "。",
);

test("origin check: whatever the headers say, the answer is a sentence or nothing", () =>
  fc.assert(
    fc.property(fc.string({ unit: odd }), fc.string({ unit: odd }), (host, origin) => {
      const reason = crossOriginReason({ host, origin, fetchSite: undefined, localAddress: "127.0.0.1" }, ownNames);
      expect(reason ?? "Fine").toMatch(/^[\x20-\x7e]{4,300}$/);
    }),
  ));
