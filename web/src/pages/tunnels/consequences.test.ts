import { because, explained } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { consequencesOf, usesOf } from "./consequences.ts";

type Posture = "protected" | "blocked" | "exposed";
const row = (name: string, now: Posture, down: Posture, device_id: string | null = name) => ({
  name,
  device_id,
  now,
  cells: [
    { scenario: "now", posture: now },
    { scenario: "Amsterdam down", posture: down },
    { scenario: "Zurich down", posture: "protected" as const },
  ],
});
const rows = [
  row("TV", "protected", "blocked"),
  row("Tablet", "protected", "exposed"),
  row("Printer", "protected", "protected"),
  row("Camera", "blocked", "blocked"),
  row("an unknown device", "protected", "blocked", null),
];

test("tunnel down: lists devices that are protected now and would not be then", () => {
  expect(consequencesOf(rows, ["Amsterdam", "some-id"])).toEqual({ blocked: ["TV"], exposed: ["Tablet"] });
  expect(consequencesOf(rows, ["Zurich"])).toEqual({ blocked: [], exposed: [] });
});

test("tunnel uses: a policy with a tunnel twice counts once", () => {
  const hop = (tunnel_id: string | null) => ({ type: "vpn", target: "x", tunnel_id, status: "up" });
  const policy = {
    policy_id: "p",
    policy: "TV",
    outcome: "egress" as const,
    hops: [hop("a"), hop("a"), hop("b"), hop(null)],
    tunnel_id: "b",
    tunnel: "B",
    interface: "wg-b",
    ...explained(because("hops_all_up")),
  };
  expect([...usesOf([policy])]).toEqual([
    ["a", [policy]],
    ["b", [policy]],
  ]);
});
