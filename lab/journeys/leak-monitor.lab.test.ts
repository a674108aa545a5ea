import type { Alert } from "@portcullis/contract/subsystems/alerts";
import type { LeakCheck, LeakMonitor } from "@portcullis/contract/subsystems/privacy";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { egressAddress, egresses } from "../topology-egresses.ts";
import { daemonFolder, type LabDaemon, startDaemon } from "../daemon.ts";
import { subscribeToEvents, type GatewayEvent } from "../events.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { startJsonScript } from "../json-script.ts";
import { type Device, openDeviceTopology, server, type DeviceTopology } from "../topology-devices.ts";

/*
 * The monitor attacks by itself after a change, and queries a resolver outside for the address of its client. The
 * tunnel's end is translated to the uplink's own address, as at a provider that leaks, without a request for a check.
 */

const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  reconcile: { interval_sec: 86_400 },
  dns: { enabled: true, upstream_servers: [server.v4] },
};
const folder = daemonFolder();
let phone: Device;
let lab: Lab;
let topology: DeviceTopology;
let daemon: LabDaemon;

beforeAll(async () => {
  lab = openLab();
  topology = await openDeviceTopology(lab);
  phone = await topology.device("phone", 1);
  for (const router of ["10.0.0.1", "fd00::1"]) await phone.run("ping", "-c", "1", "-W", "30", router);
  await startJsonScript(topology.outside, "dns-server.py", server.v4, "client");
  daemon = await startDaemon(topology.gateway, config, folder);
  // Answers that depend on the client cannot be signed.
  await daemon.ok("PUT", "/dns/options", { dnssec: false });
  await daemon.ok("POST", "/devices", { name: "phone", mac: phone.mac });
  const source = { source_type: "device", source_value: "phone" };
  await daemon.ok("POST", "/routing/policies", { name: "phone", ...source, hops: [{ type: "vpn", target: "t1" }] });
  await monitor({ enabled: false, resolver_echo_name: "whoami.lab" });
  await daemon.ok("POST", "/routing/policies/apply");
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const monitor = (settings: object) => daemon.ok("PUT", "/privacy/leak-monitor", settings);
const check = async () => (await daemon.ok("POST", "/privacy/leak-check")) as LeakCheck;
const lastCheck = async () =>
  ((await daemon.ok("GET", "/privacy/leak-monitor")) as { last_check: LeakCheck | null }).last_check;
const alertsOf = async (rule: string) =>
  ((await daemon.ok("GET", `/alerts?rule=${rule}`)) as Alert[]).map((it) => `${it.resource_name} ${it.state}`);
const phoneIn = ({ devices }: LeakCheck) => devices.find(({ name }) => name === "phone")!;
const resolverAddress = (found: LeakCheck) =>
  phoneIn(found).evidence.find(({ what }) => what.includes("whoami.lab"))?.found;

/** The first check for which this holds. One whose query gets no answer in time proves nothing. */
async function checkUntil(isSo: (found: LeakCheck) => boolean): Promise<LeakCheck> {
  let found: LeakCheck | undefined;
  await until("it is answered", async () => isSo((found = await check())), 20);
  return found!;
}

const comesOutAtTheUplink =
  'nft "table ip exit { chain c { type nat hook input priority 100; iifname from-t1 udp dport 53 snat to 192.0.2.1; }; }"';

test("the resolver of a device's egress has the tunnel's address outside", async () => {
  const tunnelAddress = egressAddress(egresses.indexOf("t1"), 1).v4;
  const found = await checkUntil((it) => resolverAddress(it) === tunnelAddress && it.verdict === "no-leak");
  expect([resolverAddress(found), found.verdict]).toEqual([tunnelAddress, "no-leak"]);
});

test("a resolver with the uplink's address outside is reported, with its device", async () => {
  await topology.outside.run("bash", "-c", comesOutAtTheUplink);
  const found = await checkUntil((it) => resolverAddress(it) === "192.0.2.1");
  await topology.outside.run("nft", "delete", "table", "ip", "exit");
  expect(phoneIn(found)).toMatchObject({ verdict: "leaking" });
  const [finding] = phoneIn(found).findings;
  expect(finding).toMatchObject({ cause: "dns-in-the-clear", severity: "leak" });
  expect(finding!.evidence[0]).toMatchObject({ found: "192.0.2.1" });
  expect((await check()).verdict).toBe("no-leak");
});

test("after a change the monitor finds the leak by itself, and finds that it is gone", async () => {
  const events = await subscribeToEvents(topology.gateway);
  const news = () => events.filter(({ event }) => /^leak\.(?:detected|cleared)$/.test(event));
  await monitor({ enabled: true, delay_sec: 0, resolver_echo_name: "whoami.lab" });
  await topology.outside.run("bash", "-c", comesOutAtTheUplink);
  await somethingChanges();
  const found = await foundUnasked("leaking", 30);
  expect(phoneIn(found).findings.map(({ cause }) => cause)).toContain("dns-in-the-clear");
  await topology.outside.run("nft", "delete", "table", "ip", "exit");
  await somethingChanges();
  await foundUnasked("no-leak", 60);
  await until("both events are sent", async () => news().length >= 2, 5);
  expect(news().map(({ event, data }) => [event, data["name"], data["cause"]])).toEqual([
    ["leak.detected", "phone", "dns-in-the-clear"],
    ["leak.cleared", "phone", undefined],
  ]);
  expect(await alertsOf("leak-detected")).toEqual(["phone resolved"]);
});

test("a device that queries a foreign resolver is reported once, and not again by the next daemon", async () => {
  const counted = async () => {
    const { attempts } = (await daemon.ok("GET", "/privacy/leak-monitor")) as LeakMonitor;
    return attempts.filter(({ kind }) => kind === "foreign-resolver").map(({ name, packets }) => [name, packets]);
  };
  const bypasses = (events: readonly GatewayEvent[]) => events.filter(({ event }) => event === "dns.bypass").length;
  const ask = () => phone.run("bash", "-c", `kdig +timeout=1 +retry=0 @${server.v4} foreign.lab || true`);
  const events = await subscribeToEvents(topology.gateway);
  await ask();
  expect(await counted()).toEqual([["phone", 1]]);
  await until("the event is sent", async () => bypasses(events) === 1, 5);
  expect(await alertsOf("dns-bypass")).toEqual(["phone active"]);
  await daemon.kill();
  daemon = await startDaemon(topology.gateway, config, folder);
  const later = await subscribeToEvents(topology.gateway);
  expect(await counted()).toEqual([]);
  await ask();
  expect(await counted()).toEqual([["phone", 1]]);
  await until("the event is sent", async () => bypasses(later) === 1, 5);
});

/** The first check with this verdict that the monitor began by itself. */
async function foundUnasked(verdict: LeakCheck["verdict"], limitSec: number): Promise<LeakCheck> {
  let found: LeakCheck | undefined;
  const isFound = async () => {
    found = (await lastCheck()) ?? undefined;
    return found?.cause === "tunnel-change" && found.verdict === verdict && !found.discarded;
  };
  await until(`a check finds the gateway ${verdict}`, isFound, limitSec);
  return found!;
}

/** Another program deletes one of our rules; the daemon restores and reports it. */
const somethingChanges = () => topology.gateway.run("ip", "rule", "del", "priority", "7999");
