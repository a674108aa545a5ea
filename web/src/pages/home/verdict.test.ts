import { expect, test } from "vitest";
import { countsOf, type Known, verdictOf } from "./verdict.ts";

const hop = { type: "vpn", target: "ams", tunnel_id: "t", status: "up" };
const through = { policy: "all", outcome: "egress", hops: [hop], reason: "" } as const;
const calm: Known = {
  status: { dataplane_enabled: true, ready: true },
  postures: { protected: 3, shut: 1, exposed: 0, unknown_device: "shut" },
  egress: [through],
  foundLeaking: 0,
};

test("everybody by hops or shut, strangers too: protected", () => {
  expect(verdictOf(calm)).toEqual({ kind: "protected" });
});

test.each<[string, Partial<Known>, object]>([
  ["nothing is enforced", { status: { dataplane_enabled: false, ready: true } }, { kind: "not enforced" }],
  ["a leak was found", { foundLeaking: 2 }, { kind: "found leaking", leaking: 2 }],
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

test("devices leak that a fallen policy lets go, and of which a check says so, not those direct by choice", () => {
  const device = (device_id: string, policy_id: string | null, posture: "exposed" | "protected" = "exposed") => ({
    device_id,
    posture,
    policy_id,
    exception_id: null,
  });
  const devices = [device("a", "fallen"), device("b", "chosen"), device("c", null), device("d", "all", "protected")];
  const egress = [
    { ...through, policy_id: "fallen", outcome: "direct" as const },
    { ...through, policy_id: "chosen", outcome: "direct" as const, hops: [] },
  ];
  expect(countsOf(devices, egress, [])).toEqual({ protected: 1, shut: 0, direct: 2, leaking: 1 });
  expect(countsOf(devices, egress.slice(1), [])).toEqual({ protected: 1, shut: 0, direct: 3, leaking: 0 });
  expect(countsOf(devices, egress, [{ device_id: "a" }, { device_id: "d" }])).toEqual({
    protected: 0,
    shut: 0,
    direct: 2,
    leaking: 2,
  });
});
