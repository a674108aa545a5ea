import { setTimeout as after } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Egress } from "../topology-egresses.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { monotonicSec } from "../../testing/clock.ts";
import { expectWithin, until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import {
  type Device,
  openDeviceTopology,
  type TrafficReport,
  type Traffic,
  type DeviceTopology,
} from "../topology-devices.ts";

/*
 * Two devices talk to a server outside without pause. The phone is sent here and there; the television, by a tunnel of its
 * own, must not notice. Each test goes on where the one before left the gateway.
 */

/** `APPLIES=100` is the full size. */
const applies = Number(process.env["APPLIES"] ?? 12);
const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  limits: { requests_per_minute: 1_000_000 },
};
const by = (target: Egress) => [{ type: "vpn", target }];
const ok: LabDaemon["ok"] = (...request) => daemon.ok(...request);

let lab: Lab;
let topology: DeviceTopology;
let daemon: LabDaemon;
let phone: Device;
let phoneTraffic: Traffic;
let televisionTraffic: Traffic;
let phonePolicy: string;

beforeAll(async () => {
  lab = openLab();
  topology = await openDeviceTopology(lab);
  phone = await topology.device("phone", 1);
  const television = await topology.device("television", 2);
  daemon = await startDaemon(topology.gateway, config);
  for (const { name, mac } of [phone, television]) await ok("POST", "/devices", { name, mac });
  phonePolicy = await policyOf("phone", "t1");
  await policyOf("television", "t3");
  await apply();
  televisionTraffic = await television.sendTraffic(250);
  phoneTraffic = await phone.sendTraffic(100);
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  daemon[Symbol.dispose]();
});

async function policyOf(device: string, egress: Egress): Promise<string> {
  const policy = { name: device, source_type: "device", source_value: device, hops: by(egress) };
  return ((await ok("POST", "/routing/policies", policy)) as { id: string }).id;
}

async function apply(): Promise<void> {
  const answer = (await ok("POST", "/routing/policies/apply")) as { enforced: boolean };
  if (!answer.enforced) throw new Error("An apply was not enforced");
}

const families = ["4", "6"] as const;

/**
 * What becomes of the phone's flows when this is done: until they have moved to the new egress, for a second at least, and
 * afterwards.
 */
async function consequences(act: () => Promise<unknown>, to?: Egress) {
  await topology.serverReport();
  const connected = (await phoneTraffic.report()).tcp;
  await act();
  const acted = monotonicSec();
  const moved = new Map<string, number>();
  const former = ({ tcp }: TrafficReport) => families.map((family) => tcp[family][connected[family].length - 1]!);
  const haveMoved = async () => {
    const { udp } = await topology.serverReport();
    for (const family of families) {
      const { first } = udp[`phone-${family}`]?.egresses[to!] ?? {};
      if (first !== undefined && !moved.has(family)) moved.set(family, first);
    }
    return moved.size === 2 && former(await phoneTraffic.report()).every(({ why }) => why !== null);
  };
  if (to) await until(`the phone's flows leave by ${to}`, haveMoved);
  await after(1000);
  const [, sentReport, counted] = [
    await topology.serverReport(),
    await phoneTraffic.report(),
    await topology.counted(),
  ];
  await after(1500);
  const [later, recounted, laterReport] = [
    await topology.serverReport(),
    await topology.counted(),
    await phoneTraffic.report(),
  ];
  return {
    /** Egresses of its datagrams once the second was over. */
    udp: families.map((family) => Object.keys(later.udp[`phone-${family}`]!.egresses).join()),
    /** The delay of the first datagram through the new egress, and the end of the connections that were open before. */
    movedAfterSec: Math.max(...moved.values()) - acted,
    endedAfterSec: Math.max(...former(sentReport).map(({ ended }) => ended ?? Infinity)) - acted,
    /** Why those ended; null for one that still hangs. */
    tcp: former(sentReport).map(({ why }) => why),
    /** Whether the connections that followed are answered. */
    isAnswered: families.every((family) => laterReport.tcp[family].at(-1)!.echoed > 0),
    egressOfNewest: later.tcp.findLast(({ who }) => who === "phone")?.egress,
    /** Packets on each wire after the second. */
    packets: (egress: Egress) => recounted[egress] - counted[egress],
    stillSends: families.every((family) => laterReport.udp[family] > sentReport.udp[family]),
  };
}

test("before anything happens both are answered, each by its own tunnel", async () => {
  const quiet = await consequences(async () => {});
  expect(quiet).toMatchObject({ udp: ["t1", "t1"], tcp: [null, null], isAnswered: true, egressOfNewest: "t1" });
  expect([quiet.packets("t1"), quiet.packets("t3")].every((count) => count > 100)).toBe(true);
  expect([quiet.packets("wan0"), quiet.packets("t2")]).toEqual([0, 0]);
});

test("another tunnel: within a second TCP is reset and UDP has moved, and the old egress is silent", async () => {
  const moved = await consequences(async () => {
    await ok("PUT", `/routing/policies/${phonePolicy}`, { hops: by("t2") });
    await apply();
  }, "t2");
  expect(moved).toMatchObject({
    udp: ["t2", "t2"],
    tcp: ["ECONNRESET", "ECONNRESET"],
    isAnswered: true,
    egressOfNewest: "t2",
  });
  expectWithin(1, { "UDP by the other tunnel": moved.movedAfterSec, "the reset of TCP": moved.endedAfterSec });
  expect([moved.packets("t1"), moved.packets("wan0")]).toEqual([0, 0]);
});

test("its policy is deleted: within a second it uses the default egress, and its tunnel is silent", async () => {
  const moved = await consequences(async () => {
    await ok("DELETE", `/routing/policies/${phonePolicy}`);
    await apply();
  }, "wan0");
  expect(moved).toMatchObject({
    udp: ["wan0", "wan0"],
    tcp: ["ECONNRESET", "ECONNRESET"],
    isAnswered: true,
    egressOfNewest: "wan0",
  });
  expectWithin(1, { "UDP by the uplink": moved.movedAfterSec, "the reset of TCP": moved.endedAfterSec });
  expect([moved.packets("t1"), moved.packets("t2")]).toEqual([0, 0]);
});

test("a policy takes it from the default egress: within a second the uplink is silent", async () => {
  const moved = await consequences(async () => {
    phonePolicy = await policyOf("phone", "t2");
    await apply();
  }, "t2");
  expect(moved).toMatchObject({ udp: ["t2", "t2"], tcp: ["ECONNRESET", "ECONNRESET"], isAnswered: true });
  expectWithin(1, { "UDP by the tunnel": moved.movedAfterSec, "the reset of TCP": moved.endedAfterSec });
  expect([moved.packets("wan0"), moved.packets("t1")]).toEqual([0, 0]);
});

test("many applies later it is still talking, wherever it was sent last", async () => {
  for (let round = 0; round < applies; round++) {
    const other = { name: `other ${round}`, source_type: "subnet", source_value: `10.77.${round}.0/24` };
    if (round % 2 === 0)
      await ok("PUT", `/routing/policies/${phonePolicy}`, { hops: by(round % 4 === 0 ? "t1" : "t2") });
    else await ok("POST", "/routing/policies", { ...other, hops: by("t3") });
    await apply();
  }
  await ok("PUT", `/routing/policies/${phonePolicy}`, { hops: by("t2") });
  await apply();
  const quiet = await consequences(async () => {});
  expect(quiet).toMatchObject({ udp: ["t2", "t2"], isAnswered: true });
  expect([quiet.packets("wan0"), quiet.packets("t1")]).toEqual([0, 0]);
});

test("its tunnel goes down: it leaves through no egress, though it keeps sending", async () => {
  const before = await topology.counted();
  const cut = await consequences(() => topology.gateway.run("ip", "link", "set", "t2", "down"));
  const now = await topology.counted();
  expect(cut).toMatchObject({ udp: ["", ""], stillSends: true });
  expect([now.wan0 - before.wan0, now.t1 - before.t1, cut.packets("t2")]).toEqual([0, 0, 0]);
});

test("through all of this the television lost nothing", async () => {
  const sentReport = await televisionTraffic.stop();
  const sent = sentReport.udp["4"] + sentReport.udp["6"];
  let [received, lost] = [await topology.serverReport(), sent];
  // Packets in flight are not lost.
  for (let left = 20; lost > 0 && left > 0; left -= 1) {
    await after(left === 20 ? 0 : 500);
    received = await topology.serverReport();
    lost = sent - received.udp["television-4"]!.numbers - received.udp["television-6"]!.numbers;
  }
  const connections = [...sentReport.tcp["4"], ...sentReport.tcp["6"]];
  const bytes = connections.reduce((sum, one) => sum + one.sent, 0);
  process.stdout.write(
    `flows: television ${sent} datagrams, ${lost} lost; ${connections.length} connections, ${bytes} bytes; ${applies + 5} applies\n`,
  );
  recordFigure({ name: "datagrams of an unconcerned device during applies", value: sent, unit: "packets" });
  recordFigure({
    name: "datagrams of an unconcerned device lost during applies",
    value: lost,
    unit: "packets",
    most: 0,
  });
  expect(lost).toBe(0);
  expect(connections.map(({ why, sent, echoed }) => ({ why, missing: sent - echoed }))).toEqual(
    ["4", "6"].map(() => ({ why: null, missing: 0 })),
  );
  const streams = received.tcp.filter(({ who }) => who === "television").toSorted((a, b) => a.bytes - b.bytes);
  const whole = connections.map(({ sent }) => ({ who: "television", egress: "t3", bytes: sent, inOrder: true }));
  expect(streams).toEqual(whole.toSorted((a, b) => a.bytes - b.bytes));
});
