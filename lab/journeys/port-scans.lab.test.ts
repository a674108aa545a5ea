import type { Alert } from "@portcullis/contract/subsystems/alerts";
import type { Component } from "@portcullis/contract/subsystems/status";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { daemonFolder, type LabDaemon, startDaemon } from "../daemon.ts";
import { type GatewayEvent, subscribeToEvents } from "../events.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { systemOn } from "../system.ts";
import { type Device, type DeviceTopology, openDeviceTopology, server } from "../topology-devices.ts";

/* Port scans by nmap, of a server outside, of another LAN and of the gateway, and traffic that is none. */

const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  reconcile: { interval_sec: 86_400 },
};
/** A reading of the daemon, and its slowest pace on a machine that is busy. */
const readingSec = 45;

let lab: Lab;
let topology: DeviceTopology;
let daemon: LabDaemon;
const folder = daemonFolder();
let devices: Record<"scanner" | "browser" | "guest", Device>;

beforeAll(async () => {
  lab = openLab();
  topology = await openDeviceTopology(lab);
  devices = {
    scanner: await topology.device("scanner", 1),
    browser: await topology.device("browser", 2),
    guest: await topology.device("guest", 3),
  };
  // A whole network answers outside: with a reset, as hosts do whose ports are closed.
  for (const network of ["203.0.113.0/24", "198.51.100.0/24"])
    await topology.outside.run("ip", "route", "add", "local", network, "dev", "lo");
  daemon = await startDaemon(topology.gateway, config, folder);
  for (const name of ["scanner", "browser"] as const)
    await daemon.ok("POST", "/devices", { name, mac: devices[name].mac });
  await daemon.ok("POST", "/routing/policies/apply");
  await until("new connections are read", async () => (await component()).status === "ok" && (await isRead()), 60);
});
afterAll(async () => {
  await daemon?.kill();
  await lab?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const component = async () =>
  ((await daemon.ok("GET", "/observer")) as { components: Component[] }).components.find(
    ({ name }) => name === "port-scans",
  )!;
const isRead = async () => (await component()).message.includes("are compared");
const alerts = async (state = "") =>
  ((await daemon.ok("GET", `/alerts?rule=port-scan${state}`)) as Alert[]).map(
    (it) => `${it.resource_name} ${it.state} ${it.severity}`,
  );
const rule = (settings: object) => daemon.ok("PUT", "/alerts/rules/port-scan", settings);
const nmap = (device: Device, ...words: string[]) =>
  device.run("nmap", "-n", "-Pn", "--disable-arp-ping", "--send-ip", ...words);
const scansIn = (events: readonly GatewayEvent[]) => events.filter(({ event }) => event === "device.port_scan");
const names = (events: readonly GatewayEvent[]) => scansIn(events).map(({ data }) => data["name"]);
const isFound = (events: readonly GatewayEvent[], name: string) => async () => names(events).includes(name);
const outsideNetwork = "198.51.100";

test("port scans: nmap -sS -T4 of a server outside is one alert of its device, which is resolved after the window", async () => {
  expect(await alerts()).toEqual([]);
  using events = await subscribeToEvents(topology.gateway);
  await rule({ window_sec: 40 });
  await nmap(devices.scanner, "-sS", "-T4", "--top-ports", "1000", server.v4);
  await until("the scan is an alert", async () => (await alerts()).length > 0, readingSec);
  expect(await alerts()).toEqual(["scanner active warning"]);
  const [first] = scansIn(events);
  expect(first?.data).toMatchObject({ name: "scanner", device_id: expect.any(String) });
  expect(Number(first?.data["targets"])).toBeGreaterThan(50);
  expect(first?.data["examples"]).toHaveLength(5);
  expect(String(first?.data["examples"])).toContain(`${server.v4}:`);
  await until("the alert is resolved", async () => (await alerts()).join() === "scanner resolved warning", 240);
  const raised = events.filter(({ event, data }) => event === "alert.raised" && data["rule"] === "port-scan");
  expect(raised).toHaveLength(1);
  await rule({ window_sec: 3600 });
});

test("port scans: traffic of a browser and many connections to one service are none; a slow scan by the same device is", async () => {
  using events = await subscribeToEvents(topology.gateway);
  await devices.browser.run("python3", "-c", browser);
  await devices.browser.run("python3", "-c", traceroute);
  // The control: the daemon has read since, and this device has the same number of targets.
  await nmap(devices.guest, "-sS", "-T4", "-p", "1-200", "10.0.0.1");
  await until("a scan of the gateway is found", isFound(events, devices.guest.mac), readingSec);
  expect(names(events)).not.toContain("browser");
  // Of an unknown device no destination is shown.
  expect(scansIn(events).find(({ data }) => data["name"] === devices.guest.mac)?.data).toMatchObject({
    device_id: null,
    examples: [],
  });
  await nmap(devices.browser, "-sS", "-T2", "--max-retries", "0", "--top-ports", "100", server.v4);
  await until("the slow scan is found", isFound(events, "browser"), readingSec);
  expect(await alerts("&state=active")).toContain("browser active warning");
});

test("port scans: without SYN, by UDP, in IPv6 and of a whole network; also by a device whose packets are refused", {
  tags: ["proof"],
}, async () => {
  for (const [name, ...words] of [
    ["without SYN", "-sX", "-T4", "-p", "1001-1200", server.v4],
    ["by UDP", "-sU", "-T4", "--min-rate", "100", "-p", "2001-2200", server.v4],
    ["in IPv6", "-6", "-sS", "-T4", "-p", "1-200", server.v6],
    ["of a network", "-sS", "-T4", "-p", "22", `${outsideNetwork}.0/24`],
  ] as const) {
    using events = await subscribeToEvents(topology.gateway);
    await nmap(devices.scanner, ...words);
    await until(`a scan ${name} is found`, isFound(events, "scanner"), 2 * readingSec);
    expect(names(events)).toContain("scanner");
  }
  await daemon.ok("PUT", "/devices/browser", { state: "quarantined" });
  using events = await subscribeToEvents(topology.gateway);
  const before = await topology.counted();
  await nmap(devices.browser, "-sS", "-T4", "--max-retries", "0", "-p", "3001-3200", server.v4);
  await until("the scan is found", isFound(events, "browser"), 2 * readingSec);
  expect((await topology.counted()).wan0).toBe(before.wan0);
});

test("port scans: what cannot be recorded is reported, passes all the same, and a deleted table is created again", {
  tags: ["proof"],
}, async () => {
  using events = await subscribeToEvents(topology.gateway);
  const connects = () => devices.scanner.run("ping", "-c", "1", "-W", "5", server.v4);
  const incomplete = () => events.filter(({ event }) => event === "port_scan.incomplete");
  const gateway = systemOn(topology.gateway);
  await gateway.run("nft", ["-f", "-"], { stdin: filled() });
  await nmap(devices.scanner, "-sS", "-T4", "-p", "5001-5020", server.v4);
  await until("it is reported", async () => incomplete().length > 0, 180);
  expect(Number(incomplete()[0]?.data["packets"])).toBeGreaterThanOrEqual(20);
  expect((await component()).status).toBe("degraded");
  expect(await alerts("&state=active")).toContain(" active warning");
  expect(await connects()).toContain("1 received");

  await topology.gateway.run("nft", "delete", "table", "inet", "portcullis_scans");
  expect(await connects()).toContain("1 received");
  const isThere = () =>
    topology.gateway.run("nft", "list", "chain", "inet", "portcullis_scans", "prerouting").then(
      () => true,
      () => false,
    );
  await until("the table is created again", isThere, 60);
  const again = events.length;
  await nmap(devices.guest, "-sS", "-T4", "-p", "1-300", server.v4);
  await until("a scan is found", async () => names(events.slice(again)).includes(devices.guest.mac), 3 * readingSec);
  expect(names(events.slice(again))).toContain(devices.guest.mac);
});

/** Every place in the set of IPv4 targets is taken, by another sender. */
function filled(): string {
  const elements = Array.from(
    { length: 65_536 },
    (_, index) => `02:00:00:00:00:77 . 10.9.${index >> 8}.${index & 255} . tcp . 443`,
  );
  const pages = Array.from({ length: 16 }, (_, page) => elements.slice(page * 4096, (page + 1) * 4096));
  return ["flush set inet portcullis_scans targets4"]
    .concat(pages.map((page) => `add element inet portcullis_scans targets4 { ${page.join(", ")} }`))
    .join("\n");
}

/** Three pages with 40 hosts each, all their connections at once, and 50 connections a second to one service. */
const browser = `
import asyncio, socket
async def connect(host, port):
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), 3)
        writer.close()
    except (OSError, asyncio.TimeoutError):
        pass
async def page(first):
    await asyncio.gather(*(connect(f"${outsideNetwork}.{first + n % 40}", 443) for n in range(120)))
async def main():
    for first in (1, 60, 120):
        await page(first)
        await asyncio.sleep(1)
    for _ in range(250):
        await connect("${server.v4}", 443)
        await asyncio.sleep(0.02)
asyncio.run(main())
`;

/** The ports of a UDP traceroute with 30 hops. */
const traceroute = `
import socket
probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for port in range(33434, 33524):
    try:
        probe.sendto(b"probe", ("${server.v4}", port))
    except OSError:
        pass
`;
