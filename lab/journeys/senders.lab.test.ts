import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Facts } from "../../daemon/src/compiler/input/facts.ts";
import { type Intent, noLinks } from "../../daemon/src/compiler/input/intent.ts";
import { type EgressTopology, links, openEgressTopology, type Probe } from "../topology-egresses.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { systemOn } from "../system.ts";

/*
 * The sender of a packet decides its egress, and an address can pass from one sender to another. One device is
 * protected; unknown devices go direct.
 */

const own = "02:00:00:00:00:01";
const other = "02:00:00:00:00:02";
const intent: Intent = {
  network: { lan: ["lan0", "lan1"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" },
  devices: [{ id: "phone", mac: own, ips: [], groupIds: [], requiresTunnel: false }],
  groups: [],
  policies: [
    {
      id: "phone",
      priority: 1,
      sourceType: "device",
      sourceValue: "phone",
      hops: [{ type: "vpn", target: "t1" }],
      failPolicy: "fail-closed",
      splitting: false,
    },
  ],
  exceptions: [],
  ...noLinks,
};
const facts = (up: boolean): Facts => ({ links, hops: [{ type: "vpn", target: "t1", interface: "t1", up }] });

let lab: Lab;
let topology: EgressTopology;
beforeAll(async () => {
  lab = openLab();
  topology = await openEgressTopology(lab);
});
afterAll(() => lab[Symbol.asyncDispose]());
beforeEach(() => topology.gateway.run("conntrack", "-F"));

const packets = (mac: string): Probe[] => [
  { interface: "lan0", mac, source: "10.0.0.2", destination: "203.0.113.5", port: 1000 },
  { interface: "lan0", mac, source: "fd00::2", destination: "2001:db8:f::1", port: 1001 },
];
const seenBy = async (mac: string) => Object.fromEntries(await topology.send(packets(mac)));

test("an address that passes to a protected device brings no flow along that goes direct (T-degraded-7)", async () => {
  await topology.load(intent, facts(true));
  expect(await seenBy(other)).toEqual({ 1000: ["wan0"], 1001: ["wan0"] });
  expect(await seenBy(own)).toEqual({}); // The packet that finds its flow masqueraded for elsewhere is lost.
  expect(await seenBy(own)).toEqual({ 1000: ["t1"], 1001: ["t1"] });
});

test("nor does it while the device's tunnel is down", async () => {
  await topology.load(intent, facts(false));
  expect(await seenBy(other)).toEqual({ 1000: ["wan0"], 1001: ["wan0"] });
  expect(await seenBy(own)).toEqual({});
});

test("forged senders are dropped also when no more of them can be counted (T-always-8)", async () => {
  await topology.load(intent, facts(true));
  const macs = Array.from({ length: 8192 }, (_, index) => {
    const [high, low] = [index >> 8, index & 255].map((it) => it.toString(16).padStart(2, "0"));
    return `02:ff:00:00:${high}:${low} timeout 1h`;
  });
  const full = `add element inet portcullis tried_forged { ${macs.join(", ")} }\n`;
  await systemOn(topology.gateway).run("nft", ["-f", "-"], { stdin: full });
  const forged = { interface: "lan0", mac: other, source: "172.16.0.9", destination: "203.0.113.5", port: 1000 };
  const honest = { ...forged, source: "10.0.0.9", port: 1001 };
  expect(Object.fromEntries(await topology.send([forged, honest]))).toEqual({ 1001: ["wan0"] });
});

test("packets that are no longer masqueraded do not leave with a device's own address (T-always-3)", async () => {
  await topology.load(intent, facts(true));
  expect(await seenBy(other)).toEqual({ 1000: ["wan0"], 1001: ["wan0"] });
  await topology.gateway.run("nft", "flush", "chain", "inet", "portcullis_nat", "postrouting");
  await topology.gateway.run("conntrack", "-F");
  expect(await seenBy(other)).toEqual({});
});
