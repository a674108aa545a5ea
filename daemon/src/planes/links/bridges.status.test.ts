import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { bridgeReports } from "./bridges.status.ts";
import type { BridgeState } from "../../engines/bridge/bridge.diff.ts";
import { statusOf } from "../../subsystems/bridges/bridges.status.ts";
import type { System } from "../../system/system.ts";

const sound: BridgeState = {
  interface: "br0",
  exists: true,
  up: true,
  carrier: true,
  stp: false,
  members: [
    { name: "eth1", state: "forwarding" },
    { name: "eth2", state: "forwarding" },
  ],
  problems: [],
};
const bridge = {
  id: "id",
  name: "office",
  interface: "br0",
  members: ["eth1", "eth2"],
  addresses: [],
  stp: false,
  enabled: true,
};

/** Reports about one bridge; hosts in `answering` answer pings. */
function reportsOn(state: Partial<BridgeState>, answering: readonly string[] = []) {
  let looks = 0;
  const run = async (_: string, args: readonly string[]) => {
    if (!answering.includes(args.at(-1)!)) throw new Error("no answer");
    return "";
  };
  const reports = bridgeReports({
    system: { run } as unknown as System,
    seen: () => [{ ...sound, ...state }],
    refresh: async () => void (looks += 1),
  });
  return { ...reports, looks: () => looks };
}

test("bridge status: up with all ports forwarding is healthy; one that does not exist is not reported", () => {
  expect(reportsOn({}).seen("br0")).toMatchObject({
    status: "up",
    healthy: true,
    reason: "It is up and all of its ports forward",
  });
  expect(reportsOn({}).seen("br1")).toBeUndefined();
  expect(reportsOn({ exists: false }).seen("br0")).toBeUndefined();
});

test.each<[string, Partial<BridgeState>, string]>([
  ["It is down", { up: false }, "down"],
  ["No port has a link", { carrier: false }, "up"],
  ["It has no port", { members: [] }, "up"],
  [
    "Not forwarding: eth2",
    {
      members: [
        { name: "eth1", state: "forwarding" },
        { name: "eth2", state: "blocking" },
      ],
    },
    "up",
  ],
  ["Member eth9 does not exist", { problems: [because("member_missing", { member: "eth9" })] }, "failed"],
])("bridge status: the reason is %s", (reason, state, status) => {
  expect(reportsOn(state).seen("br0")).toMatchObject({ healthy: false, reason, status });
});

test("bridge status: ports that do not exist are listed as missing, and the bridge has no carrier, even if the kernel reports one", async () => {
  const problems = ["eth1", "eth2"].map((member) => because("member_missing", { member }));
  const reports = reportsOn({ members: [], problems });
  const missing = (name: string) => ({ interface: name, present: false, state: "unknown" });
  expect(statusOf(bridge, reports)).toEqual({
    status: "failed",
    healthy: false,
    carrier: false,
    members: [missing("eth1"), missing("eth2")],
    reason: "Member eth1 does not exist; member eth2 does not exist; it has no port",
    coded_reason: { code: "bridge_troubles", params: { troubles: [...problems, because("bridge_without_port")] } },
  });
  expect(statusOf(bridge, reportsOn({}))).toMatchObject({
    carrier: true,
    members: [
      { interface: "eth1", present: true },
      { interface: "eth2", present: true },
    ],
  });
  expect((await reports.probe(bridge, undefined)).checks.slice(0, 3)).toMatchObject([
    { name: "exists", passed: true },
    { name: "up", passed: false, message: expect.stringContaining("eth1 does not exist") },
    { name: "carrier", passed: false, message: "No port has a link" },
  ]);
});

test("bridge status: a port in an unexpected state is unknown, and does not forward", () => {
  const seen = reportsOn({ members: [{ name: "eth1", state: "dreaming" }] }).seen("br0");
  expect(seen).toMatchObject({ healthy: false, members: [{ interface: "eth1", state: "unknown" }] });
});

test("bridge status: a probe reads again, checks each configured port, and pings the target", async () => {
  const reports = reportsOn({ members: [{ name: "eth1", state: "forwarding" }] }, ["192.0.2.7"]);
  const { healthy, checks } = await reports.probe(bridge, "192.0.2.7");
  expect(reports.looks()).toBe(1);
  expect(healthy).toBe(false);
  expect(checks.map(({ name, passed }) => [name, passed])).toEqual([
    ["exists", true],
    ["up", true],
    ["carrier", true],
    ["port eth1", true],
    ["port eth2", false],
    ["answer of 192.0.2.7", true],
  ]);
  expect((await reportsOn({}).probe(bridge, "192.0.2.8")).checks.at(-1)).toMatchObject({ passed: false });
  expect((await reportsOn({}).probe(bridge, undefined)).healthy).toBe(true);
  expect(await reportsOn({ exists: false }).probe(bridge, undefined)).toMatchObject({
    healthy: false,
    checks: [{ name: "exists", passed: false }],
  });
});
