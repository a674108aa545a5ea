import fc from "fast-check";
import { expect, test } from "vitest";
import type { Target } from "../../engines/nftables/scans/scans.parse.ts";
import { examplesOf, isScan } from "./scan.ts";

const mac = "02:00:00:00:00:01";
const target = (address: string, port: number, protocol = "tcp"): Target => ({
  mac,
  address,
  protocol,
  port,
  ageSec: 1,
});
const ports = (address: string, first: number, count: number, protocol = "tcp") =>
  Array.from({ length: count }, (_, index) => target(address, first + index, protocol));
const addresses = (prefix: string, count: number, port: number, protocol = "tcp") =>
  Array.from({ length: count }, (_, index) => target(`${prefix}${(index >> 8) + 1}.${index & 255}`, port, protocol));

test.each([
  ["50 ports of one address", ports("203.0.113.5", 1, 50), true],
  ["49 ports of one address", ports("203.0.113.5", 1, 49), false],
  ["the UDP ports of a traceroute", ports("203.0.113.5", 33_434, 90, "udp"), false],
  ["the same ports by TCP", ports("203.0.113.5", 33_434, 90), true],
  ["one port of 100 public addresses", addresses("203.0.", 100, 23), true],
  ["one port of 99 public addresses", addresses("203.0.", 99, 23), false],
  ["the ports of the web at 250 public addresses", addresses("203.0.", 250, 443), false],
  [
    "QUIC and DNS at 400 public addresses",
    [...addresses("203.0.", 200, 443, "udp"), ...addresses("203.1.", 200, 53, "udp")],
    false,
  ],
  ["the ports of the web at 100 private addresses", addresses("10.1.", 100, 443), true],
  [
    "the ports of the web at 100 addresses of ULA",
    Array.from({ length: 100 }, (_, n) => target(`fd00::${n + 1}`, 443)),
    true,
  ],
  ["500 targets of any kind", addresses("203.0.", 500, 443), true],
  ["nothing", [], false],
])("port scans: %s are recognized or not", (_, targets, is) => {
  expect(isScan(targets)).toBe(is);
});

test("port scans: more targets never turn a scan into none", () => {
  const any = fc.record({
    mac: fc.constant(mac),
    address: fc.oneof(fc.ipV4(), fc.constantFrom("203.0.113.5", "10.0.0.1")),
    protocol: fc.constantFrom("tcp", "udp"),
    port: fc.integer({ min: 1, max: 65_535 }),
    ageSec: fc.constant(1),
  });
  const holds = () =>
    fc.assert(
      fc.property(fc.array(any, { maxLength: 600 }), (more) => {
        const scan = ports("203.0.113.5", 1, 50);
        return isScan([...more, ...scan]) && isScan([...scan, ...more]);
      }),
    );
  expect(holds).not.toThrow();
});

test("port scans: a few examples are spread over all targets", () => {
  expect(examplesOf([...ports("203.0.113.5", 1, 99), target("fd00::1", 80, "udp")], 5)).toEqual(
    [1, 21, 41, 61, 81].map((port) => `203.0.113.5:${port}/tcp`),
  );
  expect(examplesOf([target("fd00::1", 80, "udp")], 5)).toEqual(["[fd00::1]:80/udp"]);
  expect(examplesOf([], 5)).toEqual([]);
});
