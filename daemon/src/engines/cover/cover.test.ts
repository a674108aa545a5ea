import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { type CoverStream, rhythmOf } from "./cover.model.ts";
import { restarted, countLine, noPings } from "./cover.parse.ts";

announceSeed("cover");

const stream = (changed: Partial<CoverStream> = {}): CoverStream => ({
  name: "hum",
  interface: "wg0",
  mark: 0x8000_0002,
  target: "192.0.2.9",
  bytesPerSec: 4000,
  ...changed,
});

test("padding comes some times a second, and grows before it comes more often", () => {
  expect(rhythmOf(stream())).toEqual({ payloadBytes: 972, packetBytes: 1000, intervalMs: 250 });
  expect(rhythmOf(stream({ bytesPerSec: 12_000 }))).toEqual({ payloadBytes: 1172, packetBytes: 1200, intervalMs: 100 });
  expect(rhythmOf(stream({ bytesPerSec: 1, target: "2001:db8::9" }))).toEqual({
    payloadBytes: 16,
    packetBytes: 64,
    intervalMs: 64_000,
  });
});

test("there is never more of it than allowed", () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000_000 }),
      fc.constantFrom("192.0.2.9", "2001:db8::9"),
      (rate, target) => {
        const { packetBytes, payloadBytes, intervalMs } = rhythmOf(stream({ bytesPerSec: rate, target }));
        expect((packetBytes * 1000) / intervalMs).toBeLessThanOrEqual(rate);
        expect(Math.min(payloadBytes - 16, intervalMs - 2)).toBeGreaterThanOrEqual(0);
      },
    ),
  ));

test("what ping says is counted: answers, silence, late answers and other remarks", () => {
  const lines = [
    "PATTERN: 0xdeadbeef",
    "PING 192.0.2.9 (192.0.2.9) from 10.9.0.1 wg0: 972(1000) bytes of data.",
    "980 bytes from 192.0.2.9: icmp_seq=1 ttl=64 time=0.023 ms",
    "no answer yet for icmp_seq=2",
    "no answer yet for icmp_seq=3",
    "980 bytes from 192.0.2.9: icmp_seq=2 ttl=64 time=510 ms",
    "980 bytes from 192.0.2.9: icmp_seq=4 ttl=64 time=0.03 ms",
    "From 192.0.2.1 icmp_seq=5 Destination Host Unreachable",
  ];
  expect(lines.reduce(countLine, noPings)).toEqual({ sent: 5, answered: 3, sequence: 5 });
});

test("its numbers begin again, by themselves or with another process, and what was counted stays", () => {
  const before = { sent: 65_534, answered: 9, sequence: 65_534 };
  expect(countLine(before, "no answer yet for icmp_seq=1")).toMatchObject({ sent: 65_537, sequence: 1 });
  expect(countLine(restarted(before), "no answer yet for icmp_seq=1")).toMatchObject({ sent: 65_535, answered: 9 });
});
