import type { DiscoveredDevice, Discovery } from "@portcullis/contract/subsystems/discovery";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { daemonFolder, type LabDaemon, startDaemon } from "../daemon.ts";
import { subscribeToEvents } from "../events.ts";
import { type Host, openLab } from "../namespaces.ts";
import { isAnswered } from "../neighbours.ts";
import { config, network, openNetwork } from "../topology-small.ts";

/* Devices on a LAN that were not added by hand: a DHCP client, and announcements by mDNS and SSDP. */

const { mac, target } = network;

const discovered = async (daemon: LabDaemon, query = "") =>
  (await daemon.ok("GET", `/devices/discovered${query}`)) as DiscoveredDevice[];
const found = async (daemon: LabDaemon, wanted = mac) => (await discovered(daemon)).find((it) => it.mac === wanted);
const factsOf = (device: DiscoveredDevice | undefined) =>
  Object.fromEntries((device?.facts ?? []).map(({ field, source, value }) => [`${field} ${source}`, value]));

test("discovery: a DHCP client that announces itself has its names with their sources; groups are joined on the LAN only", async () => {
  using folder = daemonFolder();
  using scripts = temporaryFolder();
  await using lab = openLab();
  const { gateway, client, outside } = await openNetwork(lab);
  using daemon = await startDaemon(gateway, config, folder);
  await daemon.ok("PUT", "/dhcp", { ranges: [{ interface: "lan0", first: "10.77.0.100", last: "10.77.0.200" }] });
  expect(await discovered(daemon)).toEqual([]);
  using events = await subscribeToEvents(gateway);

  const address = await lease(client, scripts.path, "kitchen-tv");
  await client.run("ip", "address", "add", `${address}/16`, "dev", "eth0");
  await client.run("ip", "route", "add", "default", "via", "10.77.0.1");
  expect(await isAnswered(client, "10.77.0.1")).toBe(true);
  await until("it was discovered", async () => (await found(daemon))?.online === true);
  await until("groups are joined", async () => (await groupsOf(gateway, "lan0")).includes("224.0.0.251"), 30);
  expect(await groupsOf(gateway, "lan0")).toContain("239.255.255.250");
  expect(await groupsOf(gateway, "wan0")).toEqual(["224.0.0.1"]);
  await announce(client, address, "living-room-tv");
  await announce(outside, target, "impostor");
  await until("its announcements arrived", async () => "product ssdp" in factsOf(await found(daemon)));

  const device = (await found(daemon))!;
  expect(device).toMatchObject({
    random_mac: true,
    vendor: null,
    vendor_status: "random_mac",
    device_id: null,
    interface: "lan0",
    suggested_name: "Living room",
    online: true,
  });
  expect(device.addresses.map((it) => it.address)).toContain(address);
  expect(factsOf(device)).toMatchObject({
    "hostname dhcp": "kitchen-tv",
    "dhcp_parameters dhcp": expect.stringMatching(/^1,/),
    "dhcp_vendor_class dhcp": expect.stringMatching(/^udhcp/),
    "hostname mdns": "living-room-tv",
    "name mdns": "Living room",
    "product mdns": "Example Cast",
    "product ssdp": "Linux/6 UPnP/1.0 Example/2",
  });
  expect(JSON.stringify(await discovered(daemon))).not.toContain("impostor");
  await until("the lease was read", async () => factsOf(await found(daemon))["hostname lease"] === "kitchen-tv", 90);
  await until("it was announced", async () => events.some(({ event }) => event === "device.discovered"), 70);
  const sources = ((await daemon.ok("GET", "/devices/discovery")) as Discovery).sources;
  for (const it of sources.filter(({ source }) => source !== "vendors"))
    expect(it).toMatchObject({ status: "working", reason: "" });

  // Its names and times outlive the daemon.
  await daemon.stop();
  using after = await startDaemon(gateway, config, folder);
  const restored = (await found(after))!;
  expect([restored.first_seen, restored.suggested_name]).toEqual([device.first_seen, "Living room"]);
  await after.stop();
});

test("discovery: a blocked device reaches nothing outside, an allowed one does; that it leaves and comes back is an event", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, client } = await openNetwork(lab);
  await client.run("ip", "address", "add", "10.77.0.7/16", "dev", "eth0");
  await client.run("ip", "route", "add", "default", "via", "10.77.0.1");
  using daemon = await startDaemon(gateway, config, folder);
  await until("an unknown device is forwarded", () => isAnswered(client, target));
  await until("it was discovered", async () => (await found(daemon)) !== undefined);
  const blocked = (await daemon.ok("POST", `/devices/discovered/${mac}/block`, {})) as { id: string };
  await until("it is blocked", async () => !(await isAnswered(client, target)));
  await daemon.ok("PUT", `/devices/${blocked.id}`, { state: "known", name: "TV" });
  await until("it is forwarded", () => isAnswered(client, target));
  expect(await found(daemon)).toMatchObject({ device_id: blocked.id, device_name: "TV", online: true });

  using events = await subscribeToEvents(gateway);
  const reported = (name: string) => async () =>
    events.some(({ event, data }) => event === name && JSON.stringify(data).includes(blocked.id));
  await client.run("ip", "link", "set", "eth0", "down");
  await until("it is offline", reported("device.offline"), 300);
  expect(await found(daemon)).toMatchObject({ online: false });
  await client.run("ip", "link", "set", "eth0", "up");
  await client.run("ip", "route", "replace", "default", "via", "10.77.0.1");
  await until("it is back", () => isAnswered(client, target));
  await until("it is online", reported("device.online"), 30);
  await daemon.stop();
});

const announce = (host: Host, address: string, hostname: string): Promise<string> =>
  host.run("python3", join(import.meta.dirname, "../announce.py"), "eth0", address, hostname);

/** The IPv4 groups that the host has joined on an interface. */
async function groupsOf(host: Host, name: string): Promise<string[]> {
  const listing = await host.run("ip", "-4", "-o", "maddress", "show", "dev", name);
  return [...listing.matchAll(/inet\s+(\S+)/g)].map(([, group]) => group!);
}

/** The address that a DHCP client with this host name gets. */
async function lease(client: Host, folder: string, hostname: string): Promise<string> {
  const script = join(folder, "lease.sh");
  writeFileSync(script, '#!/bin/sh\n[ "$1" = bound ] && echo "bound $ip"\nexit 0\n');
  chmodSync(script, 0o755);
  let address: string | undefined;
  await until("it has a lease", async () => {
    const options = ["-i", "eth0", "-f", "-n", "-q", "-t", "3", "-T", "1", "-x", `hostname:${hostname}`, "-s", script];
    address = /^bound (\S+)$/m.exec(await client.run("udhcpc", ...options).catch(() => ""))?.[1];
    return address !== undefined;
  });
  return address!;
}
