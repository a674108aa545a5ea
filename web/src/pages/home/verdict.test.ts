import { expect, test } from "vitest";
import { type Known, leakingOf, verdictOf } from "./verdict.ts";

const hop = { type: "vpn", target: "ams", tunnel_id: "t", status: "up" };
const through = { policy: "all", outcome: "egress", hops: [hop], reason: "" } as const;
const calm: Known = {
  status: { dataplane_enabled: true, ready: true },
  postures: { protected: 3, shut: 1, exposed: 0, unknown_device: "shut" },
  egress: [through],
};

test("everybody by hops or shut, strangers too: protected", () => {
  expect(verdictOf(calm)).toEqual({ kind: "protected" });
});

test.each<[string, Partial<Known>, object]>([
  ["nothing is enforced", { status: { dataplane_enabled: false, ready: true } }, { kind: "not enforced" }],
  ["something is not in force yet", { status: { dataplane_enabled: true, ready: false } }, { kind: "catching up" }],
  ["one goes direct", { postures: { ...calm.postures, exposed: 2 } }, { kind: "some direct", exposed: 2, all: 6 }],
  [
    "a stranger would go direct",
    { postures: { ...calm.postures, unknown_device: "exposed" } },
    { kind: "strangers direct" },
  ],
  [
    "no policy yet",
    { postures: { protected: 0, shut: 0, exposed: 4, unknown_device: "exposed" }, egress: [] },
    { kind: "nothing yet" },
  ],
])("never called protected when %s", (_, known, verdict) => {
  expect(verdictOf({ ...calm, ...known })).toEqual(verdict);
});

test("a policy whose hops are down and that goes direct is a leak, whatever else is well", () => {
  const fallen = { ...through, policy: "TV", outcome: "direct", reason: "ams is down" } as const;
  const verdict = { kind: "leaking", policies: ["TV"], reason: "ams is down" };
  expect(verdictOf({ ...calm, egress: [through, fallen] })).toEqual(verdict);
  const late = { dataplane_enabled: true, ready: false };
  expect(verdictOf({ ...calm, status: late, egress: [fallen] })).toEqual(verdict);
  const chosen = { ...through, outcome: "direct", hops: [] } as const;
  expect(verdictOf({ ...calm, egress: [through, chosen] })).toEqual({ kind: "protected" });
});

test("devices leak that a fallen policy lets go, not those that go direct by choice", () => {
  const device = (device_id: string, policy_id: string | null) => ({
    device_id,
    posture: "exposed" as const,
    policy_id,
    exception_id: null,
  });
  const devices = [device("a", "fallen"), device("b", "chosen"), device("c", null)];
  const egress = [
    { ...through, policy_id: "fallen", outcome: "direct" as const },
    { ...through, policy_id: "chosen", outcome: "direct" as const, hops: [] },
  ];
  expect(leakingOf(devices, egress)).toBe(1);
  expect(leakingOf(devices, egress.slice(1))).toBe(0);
});
