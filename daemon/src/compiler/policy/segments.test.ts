import { clause } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { parseAddress } from "../../net/addresses.ts";
import { guardedSegments } from "../egress/segments.ts";
import type { Intent } from "../input/intent.ts";
import { localOutcome, segmentsOf } from "./segments.ts";

const intent = (lan: readonly string[] = ["lan0", "lan1", "lan2"]): Pick<Intent, "network" | "segments"> => ({
  network: { lan, wan: "wan0", uplinks: ["wan0"], defaultEgress: "block" },
  segments: [
    { interface: "lan0", name: "Home", reaches: ["lan1", "gone"] },
    { interface: "lan1", name: "Cameras", reaches: [] },
  ],
});
const links = [
  { name: "lan0", up: true, addresses: ["10.0.0.1"], networks: ["10.0.0.0/24", "fd00::/64"] },
  { name: "lan1", up: true, addresses: ["10.0.1.1", "fd00:1::1"], networks: ["10.0.1.0/24", "10.0.0.128/25"] },
  { name: "wan0", up: true, addresses: ["192.0.2.2"], networks: ["192.0.2.0/24"] },
];
const outcome = (from: string | undefined, to: string, source?: string) =>
  localOutcome(
    { interface: from, source: source === undefined ? undefined : parseAddress(source), destination: parseAddress(to) },
    segmentsOf(intent(), { links }),
  );

test.each([
  ["a segment that it reaches", outcome("lan0", "10.0.1.7"), "local", "the destination is in the segment Cameras"],
  ["the other direction", outcome("lan1", "10.0.0.7"), "block", "the segment Cameras does not reach the segment Home"],
  ["its own segment", outcome("lan1", "10.0.1.7"), "local", "the destination is in the segment Cameras"],
  ["without settings", outcome("lan2", "10.0.1.7"), "block", "the segment lan2 does not reach the segment Cameras"],
  ["the longer prefix decides", outcome("lan1", "10.0.0.200"), "local", "the destination is in the segment Cameras"],
  ["a sender by its address", outcome(undefined, "10.0.0.7", "10.0.1.7"), "block", "Cameras does not reach"],
  ["an unknown sender", outcome(undefined, "10.0.1.7"), "local", "if the sender's reaches it"],
])("segments, %s", (_, { kind, reason }, wanted, words) => {
  expect(kind).toBe(wanted);
  expect(clause(reason)).toContain(words);
});

test("segments in the guard: each reaches itself, and the gateway by the addresses of what it reaches", () => {
  const { lanPairs, lanAddresses } = guardedSegments(intent(), { links });
  expect(lanPairs.map(({ from, to }) => `${from} ${to}`)).toEqual(["lan0 lan0", "lan0 lan1", "lan1 lan1", "lan2 lan2"]);
  expect(lanAddresses.map(({ address, interface: by }) => `${address} ${by}`)).toEqual([
    "10.0.0.1 lan0",
    "10.0.1.1 lan0",
    "fd00:1::1 lan0",
    "10.0.1.1 lan1",
    "fd00:1::1 lan1",
  ]);
});

test("segments: a single LAN loads nothing", () => {
  expect(guardedSegments(intent(["lan0"]), { links })).toEqual({ lanPairs: [], lanAddresses: [] });
});
