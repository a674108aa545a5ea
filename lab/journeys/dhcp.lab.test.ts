import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Dhcp, DhcpLease } from "@portcullis/contract/subsystems/dhcp";
import { sandboxed, userOf } from "../../daemon/src/engines/sandbox/sandbox.model.ts";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { recordFigure } from "../../testing/figure.ts";
import { daemonFolder, type LabDaemon, startDaemon, supervisedBy } from "../daemon.ts";
import { launchedIn } from "../launched.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";

/* The DHCP server of the gateway, with Kea and with clients that have no address: udhcpc, and perfdhcp for many of them. */

const network = { lan_iface: "lan0", wan_iface: "wan0", more_lan_ifaces: ["lan1"] };
const config = { network, dataplane: { enabled: true, confirm_first_sec: 0 } };
const range = { interface: "lan0", first: "10.77.0.100", last: "10.77.0.250" };
const mac = "02:00:00:00:00:07";

test("DHCP: a client gets an address, a router and a resolver, and by a reservation always the same one", async () => {
  using folder = daemonFolder();
  using scripts = temporaryFolder();
  await using lab = openLab();
  const { gateway, client, outside } = await openNetwork(lab);
  using daemon = await startDaemon(gateway, config, folder);
  const script = leaseScript(scripts.path);

  expect(await leased(client, script)).toBeNull(); // Without a range there is no server.
  expect(supervisedBy(folder).filter(({ word }) => word.includes("kea"))).toEqual([]);
  const { ranges } = await configure(daemon, range);
  expect(ranges).toMatchObject([
    {
      ...range,
      lease_sec: 43_200,
      status: "serving",
      reason: "",
      coded_reason: null,
      network: "10.77.0.0/24",
      gateway: "10.77.0.1",
    },
  ]);
  const first = await leased(client, script);
  expect(first).toMatchObject({ router: "10.77.0.1", seconds: "43200" });
  expect(first!.address).toMatch(/^10\.77\.0\.(1\d\d|2[0-4]\d|250)$/);
  expect(await leased(outside, script)).toBeNull(); // The same client on the side of the uplink.
  expect(await leases(daemon)).toMatchObject([{ address: first!.address, mac, device_name: null, reserved: false }]);

  const server = serverOf(folder);
  const { id } = (await daemon.ok("POST", "/devices", { name: "Printer", mac, ips: ["10.77.0.50"] })) as { id: string };
  await until("the reservation is in force", async () => (await state(daemon)).ranges[0]!.reservations === 1);
  await until(
    "the client has its reserved address",
    async () => (await leased(client, script))?.address === "10.77.0.50",
  );
  expect(await leases(daemon)).toMatchObject([
    { address: "10.77.0.50", mac, device_id: id, device_name: "Printer", interface: "lan0", reserved: true },
  ]);
  expect(serverOf(folder)).toEqual(server); // Not restarted.
  const { checked } = (await daemon.ok("GET", "/observer").then(componentsOf)) as { checked: string };
  expect(checked).toBe("ok: Addresses are leased on lan0");

  await daemon.ok("PUT", "/dhcp", { ranges: [] });
  expect(await leased(client, script)).toBeNull();
  expect(serverOf(folder)).toEqual([]);
  expect(await leases(daemon)).toEqual([]);
});

test("DHCP: 200 clients hold leases, and these outlive a kill of the server and of the daemon", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, client } = await openNetwork(lab);
  using before = await startDaemon(gateway, config, folder);
  await configure(before, { ...range, first: "10.77.0.10" });
  await client.run("ip", "address", "add", "10.77.0.5/24", "dev", "eth0"); // perfdhcp needs one.
  const report = await client.run(
    "perfdhcp",
    "-4",
    "-l",
    "eth0",
    "-B",
    "-R",
    "200",
    "-n",
    "300",
    "-r",
    "100",
    "-W",
    "2000000",
  );
  const all = await leases(before);
  expect(all).toHaveLength(200);
  expect(new Set(all.map(({ mac: of }) => of)).size).toBe(200);
  const drops = [...report.matchAll(/drops: (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  recordFigure({ name: "DHCP: exchanges lost of 300 by 200 clients", value: drops, unit: "exchanges" });

  const [server] = serverOf(folder);
  process.kill(server!, "SIGKILL");
  await until("another server runs", async () => serverOf(folder).some((it) => it !== server));
  await until("it serves", async () => (await state(before)).ranges[0]!.status === "serving");
  await until("it has the leases", async () => (await leases(before)).length === 200);
  const kept = serverOf(folder);
  await before.kill();
  using after = await startDaemon(gateway, config, folder);
  expect(await leases(after)).toHaveLength(200);
  expect(serverOf(folder)).toEqual(kept);
  await after.stop();
});

test("DHCP: a range that cannot be served says why, and is served once its interface has an address", async () => {
  using folder = daemonFolder();
  using scripts = temporaryFolder();
  await using lab = openLab();
  const { gateway, client, second } = await openNetwork(lab);
  using daemon = await startDaemon(gateway, config, folder);
  const other = { interface: "lan1", first: "10.78.0.100", last: "10.78.0.199", lease_sec: 600 };
  const { ranges } = await configure(daemon, range, other);
  expect(ranges).toMatchObject([
    { interface: "lan0", status: "serving" },
    {
      interface: "lan1",
      status: "failed",
      reason: "lan1 has no address in a network that contains 10.78.0.100 and 10.78.0.199",
    },
  ]);
  expect((await daemon.ok("GET", "/observer").then(componentsOf)).checked).toContain(
    "degraded: No addresses are leased by lan1: lan1 has no address",
  );
  const script = leaseScript(scripts.path);
  expect(await leased(second, script)).toBeNull();
  expect(await leased(client, script)).toMatchObject({ router: "10.77.0.1" });

  await gateway.run("ip", "address", "add", "10.78.0.1/24", "dev", "lan1");
  await until("both are served", async () => (await state(daemon)).ranges.every(({ status }) => status === "serving"));
  expect(await leased(second, script)).toMatchObject({ router: "10.78.0.1", seconds: "600" });
  // A link that was created again: the server's sockets belong to the one before.
  await gateway.run("ip", "link", "del", "lan1");
  await lab.cable(
    { host: gateway, device: "lan1", addresses: ["10.78.0.1/24"] },
    { host: second, device: "eth0", mac, addresses: [] },
  );
  await until("it serves the new link", async () => (await leased(second, script)) !== null, 20);

  for (const [wrong, complaint] of [
    [{ ...range, interface: "wan0" }, "must be a LAN interface of the gateway: lan0, lan1; not wan0"],
    [{ ...range, last: "10.77.0.9" }, "must not be before first"],
    [{ ...range, last: "10.99.0.9" }, "at most 65,535"],
  ] as const) {
    const { status, body } = await daemon.request("PUT", "/dhcp", { ranges: [wrong] });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(complaint);
  }
});

test("DHCP: a server that was taken over sends nothing by an uplink, also after another program has deleted the rules", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, client, outside } = await openNetwork(lab);
  using daemon = await startDaemon(gateway, config, folder);
  for (const host of [client, outside]) await countFrames(host);
  expect(await sendsFrames(gateway, "lan0", "wan0")).toEqual(["bypass 1", "sent", "sent"]); // Nothing to confine yet.
  expect([await framesAt(client), await framesAt(outside)]).toEqual([1, 1]);

  await configure(daemon, range);
  expect(await sendsFrames(gateway, "lan0", "wan0")).toEqual(["bypass 1", "sent", "105"]);
  expect([await framesAt(client), await framesAt(outside)]).toEqual([2, 1]);
  await gateway.run("nft", "delete", "table", "netdev", "portcullis_dhcp");
  await until("the rules are back", async () => (await confinement(gateway)).includes('device "wan0"'));
  expect(await sendsFrames(gateway, "lan0", "wan0")).toEqual(["bypass 1", "sent", "105"]);

  // An interface that is created again.
  await gateway.run("ip", "link", "del", "wan0");
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["10.77.1.1/24"] },
    { host: outside, device: "eth0", mac, addresses: [] },
  );
  await countFrames(outside);
  await until("frames are blocked again", async () => (await sendsFrames(gateway, "wan0")).at(-1) === "105");

  await configure(daemon);
  await until("the rules are gone", async () => !(await confinement(gateway)).includes("chain"));
  await daemon.stop();
});

/** What a program in the sandbox of the DHCP server can do: bypass queues (the error), and send a frame by each interface. */
async function sendsFrames(gateway: Host, ...names: readonly string[]): Promise<string[]> {
  const listed = JSON.parse(await gateway.run("ip", "-j", "link")) as { ifname: string; ifindex: number }[];
  const indexes = names.map((name) => String(listed.find(({ ifname }) => ifname === name)!.ifindex));
  const script = String.raw`
    socket(my $s, 17, 3, 0) or die "socket $!";
    print "bypass ", setsockopt($s, 263, 20, pack("i", 1)) ? 0 : $! + 0, "\n";
    for (@ARGV) {
      my $to = pack("SnlSCCH16", 17, 0x88b5, $_, 0, 0, 6, "ffffffffffff0000");
      my $frame = pack("H28", "ffffffffffff02000000000188b5") . "x" x 60;
      print send($s, $frame, 0, $to) ? "sent" : $! + 0, "\n";
    }
    print "done\n";`;
  const box = sandboxed({
    command: "perl",
    args: ["-e", script, ...indexes],
    userId: userOf(67),
    shown: {},
    privileges: ["net_raw"],
    rules: { packetSockets: true },
    port: 67,
  });
  using program = await launchedIn(gateway, [box.command, ...box.args], box.files);
  return (await program.lines()).filter((line) => line !== "done");
}

/** Frames of a type that nothing else sends. */
const countFrames = (host: Host): Promise<string> =>
  host.run(
    "nft",
    'table netdev lab { chain arrived { type filter hook ingress device "eth0" priority 0; ether type 0x88b5 counter; }; }',
  );
const framesAt = async (host: Host): Promise<number> =>
  Number(/packets (\d+)/.exec(await host.run("nft", "list", "table", "netdev", "lab"))![1]);
const confinement = (gateway: Host): Promise<string> =>
  gateway.run("nft", "list", "table", "netdev", "portcullis_dhcp").catch(() => "");

async function openNetwork(lab: Lab) {
  const [gateway, client, second, outside] = [
    await lab.host("gw"),
    await lab.host("client"),
    await lab.host("second"),
    await lab.host("outside"),
  ];
  await lab.cable(
    { host: gateway, device: "lan0", addresses: ["10.77.0.1/24"] },
    { host: client, device: "eth0", mac, addresses: [] },
  );
  await lab.cable(
    { host: gateway, device: "lan1", addresses: [] },
    { host: second, device: "eth0", mac, addresses: [] },
  );
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["10.77.1.1/24"] },
    { host: outside, device: "eth0", mac, addresses: [] },
  );
  return { gateway, client, second, outside };
}

const configure = async (daemon: LabDaemon, ...ranges: readonly object[]): Promise<Dhcp> =>
  (await daemon.ok("PUT", "/dhcp", { ranges })) as Dhcp;
const state = async (daemon: LabDaemon): Promise<Dhcp> => (await daemon.ok("GET", "/dhcp")) as Dhcp;
const leases = async (daemon: LabDaemon): Promise<DhcpLease[]> =>
  (await daemon.ok("GET", "/dhcp/leases")) as DhcpLease[];
const serverOf = (folder: { readonly path: string }): number[] =>
  supervisedBy(folder)
    .filter(({ word }) => word.includes("kea.dhcp4"))
    .map(({ processId }) => processId);

function componentsOf(report: unknown): { checked: string } {
  const { components } = report as { components: { name: string; status: string; message: string }[] };
  const { status, message } = components.find(({ name }) => name === "dhcp")!;
  return { checked: `${status}: ${message}` };
}

/** Called by udhcpc; prints what the client was offered, and configures nothing. */
function leaseScript(folder: string): string {
  const path = join(folder, "lease.sh");
  writeFileSync(path, '#!/bin/sh\n[ "$1" = bound ] && echo "bound $ip $router $lease"\nexit 0\n');
  chmodSync(path, 0o755);
  return path;
}

/** What a client gets within three seconds; null: nothing. */
async function leased(client: Host, script: string) {
  const options = ["-i", "eth0", "-f", "-n", "-q", "-t", "3", "-T", "1", "-s", script];
  const output = await client.run("udhcpc", ...options).catch(() => "");
  const [, address, router, seconds] = /^bound (\S+) (\S+) (\S+)$/m.exec(output) ?? [];
  return address === undefined ? null : { address, router, seconds };
}
