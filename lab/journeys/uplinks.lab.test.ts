import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import type { Event } from "@portcullis/contract/events";
import type { UplinkDecisions, UplinkHealth } from "@portcullis/contract/subsystems/uplinks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HopServer, type HopTopology, openHopTopology, type HopClient } from "../topology-hops.ts";
import { type Site, uplinkAddress, uplinks } from "../internet.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { type Flow, openFlow, startFlowServer } from "../flow.ts";
import { monotonicSec, ownSec } from "../../testing/clock.ts";
import { expectWithin, until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";

/*
 * A LAN with two uplinks, fibre preferred to mobile. Dora's connections leave direct; Tess is behind WireGuard and
 * fails closed, Otto is behind OpenVPN. Each test continues where the previous one left off.
 */

/** `PINNED_SEC=40` waits for longer than an uplink has to be well before it is returned to. */
const pinnedSec = Number(process.env["PINNED_SEC"] ?? 3);
const [fibre, mobile] = [uplinkAddress(0, 1).v4, uplinkAddress(1, 1).v4];

let lab: Lab;
let topology: HopTopology;
let tunnel: HopServer;
let other: HopServer;
let echoServer: Site;
let dora: HopClient;
let tess: HopClient;
/** Each time a new connection of Dora's; answered with the address it is seen to come from. */
let calls: Flow;
const events: Event[] = [];

beforeAll(async () => {
  lab = openLab();
  topology = await openHopTopology(lab);
  listen(topology.net.gateway);
  echoServer = await topology.net.site("echo");
  await startFlowServer(echoServer.host, 80, [echoServer.v4]);
  tunnel = await topology.wireguard("far");
  dora = await topology.addClient("dora", [], { fail_policy: "fail-open" });
  tess = await topology.addClient("tess", [tunnel]);
  other = await topology.openvpn("near");
  await topology.addClient("otto", [other]);
  const listener = { name: "listener", kind: "local", listen: "10.0.0.1:1080", username: "dora", password: "knock" };
  await topology.api.ok("POST", "/proxies", listener);
  // Calls are silent as long as an uplink is: what is waited for is the first one that is not.
  calls = openFlow(dora.device, "calls", echoServer.v4, 80, 0.25);
  await recognisable(tess.device);
  for (const provider of topology.net.providers) await countTess(provider, "from-gw");
  await countTess(tunnel.site.host);
  await topology.api.ok("PUT", "/system/wan-uplinks", {
    wan_failover_mode: "auto",
    uplinks: [
      { name: "mobile", interface: uplinks[1], priority: 20 },
      { name: "fibre", interface: uplinks[0], priority: 10 },
    ],
  });
  await topology.apply();
});
afterAll(async () => {
  await topology?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

/** Everything the daemon announces. */
function listen(gateway: Host): void {
  const stream = gateway.start("curl", "--silent", "--no-buffer", "http://127.0.0.1:8080/api/v1/events");
  createInterface({ input: stream.stdout! }).on("line", (line) => {
    if (line.startsWith("data: ")) events.push(JSON.parse(line.slice("data: ".length)) as Event);
  });
}

/** Masquerading changes the sender, but not how many routers a packet may still pass. */
const hopLimit = 99;
async function recognisable(host: Host): Promise<void> {
  await host.run("sysctl", "-qw", `net.ipv4.ip_default_ttl=${hopLimit}`);
  await host.run("sysctl", "-qw", `net.ipv6.conf.eth0.hop_limit=${hopLimit}`);
}
async function countTess(host: Host, device?: string): Promise<void> {
  const from = device === undefined ? [] : ["iifname", device];
  await host.run("nft", "add table inet lab_tess");
  await host.run("nft", "add counter inet lab_tess tess");
  await host.run("nft", "add chain inet lab_tess pre { type filter hook prerouting priority -310; }");
  for (const match of [`ip ttl ${hopLimit - 1}`, `ip6 hoplimit ${hopLimit - 1}`])
    await host.run("nft", ["add rule inet lab_tess pre", ...from, match, "counter name tess"].join(" "));
}
async function tessSeenAt(host: Host): Promise<number> {
  const text = await host.run("nft", "list", "counter", "inet", "lab_tess", "tess");
  return Number(/packets (\d+)/.exec(text)![1]);
}

/** The cable is fine and the next router is there, but nothing behind it answers. */
async function silence(index: 0 | 1): Promise<void> {
  const provider = topology.net.providers[index];
  await provider.run("nft", "add table inet lab_dead");
  await provider.run("nft", "add chain inet lab_dead forward { type filter hook forward priority 0; policy drop; }");
}
const repair = (index: 0 | 1) => topology.net.providers[index].run("nft", "delete table inet lab_dead");

const decisions = async () => (await topology.api.ok("GET", "/system/wan-manager")) as UplinkDecisions;
const uplink = async (name: string) => (await decisions()).uplinks.find((it) => it.name === name)!;
const isActive = (name: string) => async () => (await decisions()).active === name;
const hasStatus = (name: string, status: string) => async () => (await uplink(name)).status === status;
const callsFrom = (address: string) => async () => (await calls.request()) === address;
/** Where an answered call comes from. One that was too slow to be answered in time is made again. */
async function caller(): Promise<string> {
  let from = "silence";
  await until("a call is answered", async () => (from = await calls.request()) !== "silence");
  return from;
}
/** From which addresses datagrams of a resident come now. */
async function comesFrom(name: string): Promise<string[]> {
  await topology.net.webReport();
  await wait(200);
  return Object.keys((await topology.net.webReport()).udp[`${name}-4`]?.egresses ?? {});
}
const tessArrives = async () => (await comesFrom("tess")).join() === tunnel.site.v4;
const ottoArrives = async () => (await comesFrom("otto")).join() === other.site.v4;
/** By a listener of the gateway that leaves by the uplink. */
const throughListener = async () =>
  (
    await dora.device.run(
      "python3",
      resolve("lab/socks5-client.py"),
      "10.0.0.1",
      "1080",
      "dora",
      "knock",
      "tcp",
      echoServer.v4,
      "80",
      "3",
    )
  ).trim();
const switches = () => events.filter(({ event }) => event === "uplink.switched");
const connectionOf = async ({ traffic }: HopClient) => (await traffic.report()).tcp["4"].at(-1)!;
const log = (text: string) => process.stdout.write(`uplinks: ${text}\n`);

test("both uplinks are monitored, and the preferred one forwards for all clients", async () => {
  await until("both uplinks are up", async () => (await health()).every(({ status }) => status === "up"), 15);
  expect(await health()).toMatchObject([
    { name: "mobile", interface: "wan1", reachable: true, gateway_v4: uplinkAddress(1, 2).v4 },
    { name: "fibre", interface: "wan0", reachable: true, gateway_v4: uplinkAddress(0, 2).v4 },
  ]);
  await until("the tunnel forwards", tessArrives, 15);
  await until("the other tunnel forwards", ottoArrives, 15);
  await until("the listener forwards", async () => (await throughListener()) === fibre, 10);
  expect(await caller()).toBe(fibre);
  expect(await decisions()).toMatchObject({ mode: "auto", active: "fibre" });
});
const health = async () => (await topology.api.ok("GET", "/system/wan-health")) as UplinkHealth[];

test("the provider falls silent: new connections leave by the other uplink, and tunnels follow", async () => {
  await topology.net.seen(topology.net.providers[1]);
  await silence(0);
  const started = ownSec();
  const direct = await until("new connections leave by mobile", callsFrom(mobile), 15);
  await until("the tunnel forwards again", tessArrives, 20);
  const wireguard = ownSec() - started;
  await until("the listener forwards again", async () => (await throughListener()) === mobile, 10);
  const listener = ownSec() - started;
  await until("the other tunnel forwards again", ottoArrives, 20);
  const openvpn = ownSec() - started;
  log(
    `the other uplink forwards new connections after ${direct.toFixed(2)} s, WireGuard after ${wireguard.toFixed(2)} s, ` +
      `a listener after ${listener.toFixed(2)} s, OpenVPN after ${openvpn.toFixed(2)} s`,
  );
  expectWithin(5, { "new connections by the other uplink": direct });
  expectWithin(10, { "WireGuard by the other uplink": wireguard, "OpenVPN by the other uplink": openvpn });
  recordFigure({ name: "time until a listener leaves by the other uplink", value: listener, unit: "s" });
  const outer = (await topology.net.seen(topology.net.providers[1])).filter(({ to }) => to === tunnel.site.v4);
  expect(outer).toMatchObject([{ from: mobile, protocol: "udp", port: 51_820 }]);

  const { active, decision, switches: reported } = await decisions();
  expect(active).toBe("mobile");
  expect(decision).toBe("mobile is up; fibre would be preferred but is failed");
  const why = expect.stringMatching(
    /fibre is failed \(.*(?:no reply|stopped responding).*\), and mobile is up$/,
  ) as string;
  const switched = { from: "fibre", to: "mobile", reason: why };
  const coded_reason = { code: "uplink_active", params: { why: { code: "uplink_replaced" } } };
  expect([reported[0], switches().at(-1)?.data]).toMatchObject([switched, { ...switched, coded_reason }]);
  expect(await health()).toMatchObject([
    { name: "mobile", reachable: true, status: "up" },
    { name: "fibre", reachable: false, status: "failed" },
  ]);
});

test("the preferred uplink comes back: new connections return, and what runs by the other goes on", async () => {
  const runsByMobile = async () =>
    (await topology.net.webReport()).tcp.some(
      ({ who, egress, bytes }) => who === "dora" && egress === mobile && bytes > 0,
    );
  await until("Dora's connection uses mobile", runsByMobile, 10);
  const before = await connectionOf(dora);
  await repair(0);
  // A device may reuse the port of an unanswered connection, which conntrack still has. So no client connects
  // meanwhile.
  const repaired = monotonicSec();
  await until("fibre is active", isActive("fibre"), 45);
  const seconds = monotonicSec() - repaired;
  await until("new connections leave by fibre", callsFrom(fibre), 2);
  log(`returned ${seconds.toFixed(1)} s after the provider came back`);
  recordFigure({ name: "time until the preferred uplink is used again", value: seconds, unit: "s", least: 29 });
  expect(seconds).toBeGreaterThan(29);
  expect((await decisions()).switches[0]!.reason).toMatch(/fibre is preferred and has been up for 30 s/);

  await until("the tunnel forwards", tessArrives, 10);
  log(`OpenVPN has returned after ${(await until("the other tunnel forwards", ottoArrives, 15)).toFixed(2)} s`);
  await until("the listener has returned", async () => (await throughListener()) === fibre, 5);
  expect(await comesFrom("dora")).toEqual([mobile]);
  const { tcp } = await dora.traffic.stop();
  expect(tcp["4"].at(-1)).toMatchObject({ opened: before.opened, ended: null });
  expect(tcp["4"].at(-1)!.echoed).toBe(tcp["4"].at(-1)!.sent);
  expect(tcp["4"].at(-1)!.sent).toBeGreaterThan(before.sent + 1000);
});

test("there is no better uplink: nothing is cut, and everything goes on when the provider does", async () => {
  const traffic = await dora.device.sendTraffic(100);
  const running = async () => (await traffic.report()).tcp["4"].at(-1)!;
  await until("a connection runs", async () => (await running()).echoed > 0, 5);
  const before = await running();
  await silence(1);
  await until("mobile has failed", hasStatus("mobile", "failed"), 5);
  const quiet = switches().length;
  await silence(0);
  await until("fibre has failed", hasStatus("fibre", "failed"), 5);
  await wait(1500); // As long as it would have taken to switch.
  expect(await decisions()).toMatchObject({
    active: "fibre",
    decision: expect.stringMatching(/^fibre is failed .* and no other uplink is up, so it stays$/) as string,
  });
  expect(await calls.request()).toBe("silence");
  expect(await running()).toMatchObject({ opened: before.opened, ended: null });

  await repair(0);
  const direct = await until("new connections leave by fibre", callsFrom(fibre), 10);
  const inner = await until("the tunnel forwards", tessArrives, 15);
  log(`without an alternative, back after ${direct.toFixed(2)} s, the tunnel after ${(direct + inner).toFixed(2)} s`);
  const { tcp } = await traffic.stop();
  expect(tcp["4"].at(-1)).toMatchObject({ opened: before.opened, ended: null });
  await until("fibre is up", hasStatus("fibre", "up"), 5);
  await repair(1);
  await until("mobile is up", hasStatus("mobile", "up"), 5);
  expect(switches()).toHaveLength(quiet);
});

test("in manual mode the chosen uplink stays, and the decision reports what automatic mode would do", async () => {
  await topology.api.ok("PUT", "/system/wan-uplinks", { wan_failover_mode: "manual", active: "fibre" });
  const quiet = switches().length;
  await silence(0);
  await until("fibre has failed", hasStatus("fibre", "failed"), 5);
  await until(
    "it would switch",
    async () => /manual\. Automatic mode would switch to mobile: fibre is failed/.test((await decisions()).decision),
    5,
  );
  expect(await decisions()).toMatchObject({ mode: "manual", active: "fibre" });
  expect(await calls.request()).toBe("silence");
  expect(switches()).toHaveLength(quiet);

  await topology.api.ok("PUT", "/system/wan-uplinks", { active: "mobile" });
  log(`chosen by hand after ${(await until("by mobile", callsFrom(mobile), 5)).toFixed(2)} s`);
  expect(await decisions()).toMatchObject({ active: "mobile" });
  await repair(0);
  await until("fibre is up", hasStatus("fibre", "up"), 5);
  await topology.api.ok("PUT", "/system/wan-uplinks", { active: "fibre" });
  await until("by fibre", callsFrom(fibre), 5);
  await topology.api.ok("PUT", "/system/wan-uplinks", { wan_failover_mode: "auto", active: null });
  expect(await decisions()).toMatchObject({ mode: "auto", active: "fibre" });
});

test("a cable that is pulled out is left at once", async () => {
  const [provider] = topology.net.providers;
  await provider.run("ip", "link", "set", "from-gw", "down");
  const seconds = await until("by mobile", callsFrom(mobile), 5);
  log(`cable out: new connections after ${seconds.toFixed(2)} s`);
  expect(await decisions()).toMatchObject({ active: "mobile" });
  expect((await uplink("fibre")).role).toBe("unusable");
  await until("the tunnel forwards", tessArrives, 10);
  await provider.run("ip", "link", "set", "from-gw", "up");
  await provider.run("ip", "address", "replace", `${uplinkAddress(0, 2).v6}/64`, "dev", "from-gw", "nodad");
  log(`cable in: fibre is up after ${(await until("fibre is up", hasStatus("fibre", "up"), 10)).toFixed(2)} s`);
});

test("five falls, and an uplink is not returned to for a while", async () => {
  for (let { flaps } = await uplink("fibre"); flaps < 5; { flaps } = await uplink("fibre")) {
    await silence(0);
    await until("fibre has failed", hasStatus("fibre", "failed"), 5);
    await repair(0);
    await until("fibre is up", hasStatus("fibre", "up"), 5);
  }
  const { pinned_until, role } = await uplink("fibre");
  expect(Date.parse(pinned_until!) - Date.now()).toBeGreaterThan(500_000);
  expect(role).toBe("standby");
  expect((await decisions()).decision).toMatch(/fibre would be preferred but failed too often and has to wait/);
  await wait(pinnedSec * 1000);
  expect(await isActive("mobile")()).toBe(true);
  expect(await caller()).toBe(mobile);
});

test("an uplink that fell too often is still better than none", async () => {
  await silence(1);
  expectWithin(5, { "new connections by the last uplink": await until("by fibre", callsFrom(fibre), 15) });
  expect(await decisions()).toMatchObject({ active: "fibre" });
  await until("the tunnel forwards", tessArrives, 10);
  await repair(1);
  await until("mobile is up", hasStatus("mobile", "up"), 5);
});

test("the daemon is killed: whatever runs goes on, and the next daemon goes on where it was", async () => {
  const traffic = await dora.device.sendTraffic(100);
  const running = async () => (await traffic.report()).tcp["4"].at(-1)!;
  await until("a connection runs", async () => (await running()).echoed > 0, 5);
  const [{ opened }, before] = [await running(), await decisions()];
  const lostBefore = await lostOfTess();
  await topology.kill();
  expect(await caller()).toBe(fibre);
  await until("the tunnel forwards", tessArrives, 5);
  await topology.restart();
  await wait(2000); // Long enough to change one's mind.
  let lost = Infinity;
  // Some are always in flight, and more of them on a slow machine.
  await until("Tess has lost no more than a few", async () => (lost = (await lostOfTess()) - lostBefore) < 20);
  log(`a daemon that is killed and comes back costs Tess ${lost} datagrams`);
  recordFigure({
    name: "datagrams lost or in flight while the daemon was killed",
    value: lost,
    unit: "packets",
    most: 19,
  });
  const text = await topology.net.gateway.run("curl", "--silent", "http://127.0.0.1:8080/api/v1/system/wan-manager");
  const { active, since, switches: reported, uplinks: seen } = JSON.parse(text) as UplinkDecisions;
  expect({ active, since, reported }).toEqual({ active: "fibre", since: before.since, reported: before.switches });
  expect(seen.map(remembered)).toEqual(before.uplinks.map(remembered));
  expect(await caller()).toBe(fibre);
  const { tcp } = await traffic.stop();
  expect(tcp["4"].at(-1)).toMatchObject({ opened, ended: null });
  expect(tcp["4"].at(-1)!.echoed).toBe(tcp["4"].at(-1)!.sent);
});

const remembered = ({ name, flaps, pinned_until }: UplinkDecisions["uplinks"][number]) => ({
  name,
  flaps,
  isPinned: pinned_until !== null,
});
/** Datagrams of hers that the web server has not received, without those in flight. */
async function lostOfTess(): Promise<number> {
  const sentCount = (await tess.traffic.report()).udp["4"];
  return sentCount - (await topology.net.webReport()).udp["tess-4"]!.numbers;
}

test("an uplink that is switched off forwards nothing, not even the gateway's own packets", async () => {
  const [first, second] = topology.net.providers;
  const list = (isFibreOn: boolean) => ({
    wan_failover_mode: "auto",
    active: null,
    uplinks: [
      { name: "mobile", interface: uplinks[1], priority: 20 },
      { name: "fibre", interface: uplinks[0], priority: 10, enabled: isFibreOn },
    ],
  });
  const egress = () => topology.net.gateway.run("ip", "route", "get", echoServer.v4);
  // The main table prefers it.
  expect(await topology.net.gateway.run("ip", "route", "show", "table", "main", "default")).toMatch(
    new RegExp(`^default via \\S+ dev ${uplinks[0]} metric 100`),
  );
  await topology.api.ok("PUT", "/system/wan-uplinks", list(false));
  await until("its place is taken", async () => (await egress()).includes(`dev ${uplinks[1]}`), 10);
  await until("all clients have moved", async () => (await topology.net.seen(first)).length === 0, 20);
  await topology.net.gateway.run("ping", "-c", "1", "-W", "30", echoServer.v4);
  await until("tunnels go on", async () => (await tess.seenFrom()).includes(tunnel.site.v4), 20);
  expect((await topology.net.seen(second)).some(({ to }) => to === echoServer.v4)).toBe(true);
  expect(await topology.net.seen(first)).toEqual([]);
  await topology.api.ok("PUT", "/system/wan-uplinks", list(true));
});

test("through all of this not one packet of Tess was seen by a provider", async () => {
  await until("the tunnel forwards", tessArrives, 5);
  const { tcp, udp } = await tess.traffic.stop();
  const inTunnel = await tessSeenAt(tunnel.site.host);
  log(`Tess: ${udp["4"] + udp["6"]} datagrams and ${tcp["4"].length} connections; in the tunnel ${inTunnel} packets`);
  const outside = await Promise.all(topology.net.providers.map(tessSeenAt));
  recordFigure({
    name: "packets inside the tunnel while uplinks failed",
    value: inTunnel,
    unit: "packets",
    least: 1000,
  });
  recordFigure({
    name: "packets outside the tunnel while uplinks failed",
    value: outside[0]! + outside[1]!,
    unit: "packets",
    most: 0,
  });
  expect(outside).toEqual([0, 0]);
  expect(inTunnel).toBeGreaterThan(1000);
});
