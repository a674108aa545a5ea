import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { type Decoded, decodeMessage, framesOf } from "./log.parse.ts";

announceSeed("DNS log records");

/** The log of dnsdist 1.7.3 with log.conf for ten queries; it forwards to itself. */
const recorded = Buffer.from(readFileSync(join(import.meta.dirname, "recordings", "log.base64"), "utf8"), "base64");

const decodeAll = (bytes: Uint8Array): Decoded[] => framesOf(bytes).frames.map((frame) => decodeMessage(bytes, frame));

const recordsOf = (bytes: Uint8Array) => decodeAll(bytes).flatMap((it) => (it.kind === "answer" ? [it.record] : []));

test("query log: the records of dnsdist are decoded", () => {
  const seen = recordsOf(recorded).filter(({ side, name }) => side !== "up" && !name.endsWith("root-servers.net"));
  expect(seen.map(({ atMs: _atMs, latencyUs: _latencyUs, addresses: _addresses, ...rest }) => rest)).toEqual([
    { ...common, name: "www.example", type: 1, answers: 2 },
    { ...common, name: "www.example", type: 1, answers: 2, side: "cache" },
    { ...common, name: "www.example", type: 28, answers: 1 },
    { ...common, name: "missing.example", type: 1, rcode: 3 },
    { ...common, name: "dead.example", type: 1, rcode: 2, side: "self" },
    {
      ...common,
      name: "ads.example",
      type: 65,
      rcode: 3,
      side: "self",
      verdict: "block",
      by: { kind: "list", bit: 3, revision: null },
    },
    {
      ...common,
      name: "good.example",
      type: 1,
      answers: 2,
      verdict: "allow",
      by: { kind: "rule", index: 70_000, revision: null },
    },
    { ...common, name: "six.example", type: 1, answers: 2, client: "::1" },
    { ...common, name: ".", type: 2 },
    { ...common, name: String.raw`odd\032\.\200.example`, type: 16 },
  ]);
});

test("query log: a record has the addresses of its answer", () => {
  const answers = recordsOf(recorded).filter(({ name, side }) => name === "www.example" && side === "front");
  const addressesOf = (wanted: number) => answers.find(({ type }) => type === wanted)!.addresses.toSorted();
  expect(addressesOf(1)).toEqual(["192.0.2.1", "192.0.2.2"]);
  expect(addressesOf(28)).toHaveLength(1);
  expect(addressesOf(28)[0]).toMatch(/^2001:db8:/);
});

const common = {
  client: "127.0.0.1",
  rcode: 0,
  resolver: 7,
  side: "front",
  verdict: "none",
  by: null,
  answers: 0,
};

test("times are those of the answer, and how long it took", () => {
  const records = recordsOf(recorded);
  const isPlausible = ({ atMs, latencyUs }: (typeof records)[number]) =>
    atMs > Date.UTC(2026, 0) && atMs < Date.UTC(2100, 0) && latencyUs > 0 && latencyUs < 1_000_000;
  expect(records.length).toBeGreaterThan(10);
  expect(records.filter((it) => !isPlausible(it))).toEqual([]);
});

test("query log: upstream queries are marked", () => {
  expect(recordsOf(recorded).filter(({ side }) => side === "up").length).toBeGreaterThan(4);
});

test("query log: frames are the same however the stream is split", () => {
  const whole = framesOf(recorded);
  expect(whole.rest).toBe(recorded.length);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: recorded.length }), (cut) => {
      const first = framesOf(recorded.subarray(0, cut));
      const second = framesOf(recorded.subarray(first.rest));
      const moved = second.frames.map(({ start, end }) => ({ start: start + first.rest, end: end + first.rest }));
      expect([...first.frames, ...moved]).toEqual(whole.frames);
    }),
  );
});

test("no bytes make the decoder throw, or read what is not theirs", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const padded = Uint8Array.from([...bytes, ...recorded]);
      expect(decodeMessage(padded, { start: 0, end: bytes.length })).toEqual(
        decodeMessage(bytes, { start: 0, end: bytes.length }),
      );
    }),
    { numRuns: 2000 },
  );
});

test("a real record with bytes changed or missing is garbage, something else, or a record in form", () => {
  const { frames } = framesOf(recorded);
  const change = fc.record({ at: fc.nat(300), to: fc.nat(255) });
  fc.assert(
    fc.property(fc.nat(frames.length - 1), fc.array(change, { maxLength: 6 }), fc.nat(40), (which, changes, less) => {
      const { start, end } = frames[which]!;
      const bytes = Uint8Array.from(recorded.subarray(start, Math.max(start, end - less)));
      for (const { at, to } of changes) if (at < bytes.length) bytes[at] = to;
      const decoded = decodeMessage(bytes, { start: 0, end: bytes.length });
      const numbers = decoded.kind === "answer" ? Object.values(decoded.record).filter(isNumber) : [];
      expect(numbers.filter((it) => !Number.isSafeInteger(it) || it < 0)).toEqual([]);
    }),
    { numRuns: 3000 },
  );
});

const isNumber = (value: unknown): value is number => typeof value === "number";

test("an IPv6 client is written as RFC 5952 has it, an IPv4 client in IPv6 clothes as what it is", () => {
  expect(clientOf("20010db8000000000001000000000001")).toBe("2001:db8::1:0:0:1");
  expect(clientOf("fd000000000000000000000000000000")).toBe("fd00::");
  expect(clientOf("00010000000200030004000500060007")).toBe("1:0:2:3:4:5:6:7");
  expect(clientOf("00000000000000000000ffff0a000001")).toBe("10.0.0.1");
});

function clientOf(hex: string): string | undefined {
  const fields = [
    [0x08, 0x02], // A response
    [0x1a, 6, ...Buffer.from("0:self")],
    [0x32, 16, ...Buffer.from(hex, "hex")],
    [0x62, 2, 0x0a, 0], // a question section with an empty name
  ];
  const bytes = Uint8Array.from(fields.flat());
  const decoded = decodeMessage(bytes, { start: 0, end: bytes.length });
  return decoded.kind === "answer" ? decoded.record.client : undefined;
}
