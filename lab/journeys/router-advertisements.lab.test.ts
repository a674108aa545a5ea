import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RouterAdvertisements } from "@portcullis/contract/subsystems/router-advertisements";
import { advertiserUser } from "../../daemon/src/engines/radvd/radvd.model.ts";
import { sandboxed } from "../../daemon/src/engines/sandbox/sandbox.model.ts";
import { until } from "../../testing/deadline.ts";
import { daemonFolder, type LabDaemon, startDaemon } from "../daemon.ts";
import { type JsonScript, startJsonScript } from "../json-script.ts";
import { launchedIn } from "../launched.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";

/* The gateway as IPv6 router, with radvd and with the kernels of clients. */

const network = { lan_iface: "lan0", wan_iface: "wan0", more_lan_ifaces: ["lan1"], default_egress: "block" };
const config = { network, dataplane: { enabled: true, confirm_first_sec: 0 } };
const withResolver = { ...config, dns: { enabled: true, upstream_servers: ["10.79.0.2"] } };
const onLan = { interface: "lan0" };

test("router advertisements: a client gets an address, a default route and the resolver, and the uplink gets nothing (T-always-15)", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, client, outside } = await openNetwork(lab);
  using daemon = await startDaemon(gateway, withResolver, folder);
  const [behind, beyond] = [await listenOn(client), await listenOn(outside)];
  expect(await programsOn(gateway)).toEqual([]); // Without an interface there is no program.
  expect(await solicited(behind, 500)).toEqual([]);
  expect(await defaultRoutes(client)).toEqual([]);

  const { interfaces } = await configure(daemon, onLan);
  expect(interfaces).toEqual([
    {
      interface: "lan0",
      lifetime_sec: 1800,
      status: "advertising",
      reason: "",
      coded_reason: null,
      prefixes: ["fd77::/64"],
      resolvers: ["fd77::1"],
    },
  ]);
  await until("the client has a default route", async () => (await defaultRoutes(client)).length === 1);
  expect(await defaultRoutes(client)).toEqual([await linkLocalOf(gateway, "lan0")]);
  await until("the client has an address", async () =>
    (await addressesOf(client)).some((it) => it.startsWith("fd77:")),
  );
  const received = await solicited(behind, 1000);
  expect(received.length).toBeGreaterThanOrEqual(1);
  for (const it of received)
    expect(it).toMatchObject({
      lifetime: 1800,
      prefixes: [{ prefix: "fd77::/64", valid: 3600, preferred: 1800, flags: 0xc0 }],
      resolvers: [{ address: "fd77::1", lifetime: 1800 }],
    });
  expect(await solicited(beyond, 1000)).toEqual([]); // What answers on the LAN does not answer here.
  // The gateway is no other router for itself, as the leak check would report. The client is a neighbour.
  const neighbours = await gateway.run("ip", "-6", "neighbour", "show", "dev", "lan0");
  expect(neighbours).toContain(await linkLocalOf(client, "eth0"));
  expect(neighbours).not.toContain(await linkLocalOf(gateway, "lan0"));
  expect(await component(daemon)).toBe("ok: The gateway is advertised as IPv6 router on lan0");

  const refused = await daemon.request("PUT", "/router-advertisements", { interfaces: [{ interface: "wan0" }] });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain("must be a LAN interface of the gateway: lan0, lan1; not wan0");

  await configure(daemon);
  await until("the client has no default route", async () => (await defaultRoutes(client)).length === 0);
  const last = await behind();
  expect(last.at(-1)).toMatchObject({
    lifetime: 0,
    prefixes: [{ prefix: "fd77::/64", preferred: 0 }],
    resolvers: [{ address: "fd77::1", lifetime: 0 }],
  });
  expect(await programsOn(gateway)).toEqual([]);
  expect(await component(daemon)).toBe("off: The gateway is not advertised as IPv6 router");
  await daemon.stop();
});

test("router advertisements: neither a change, a restart of the daemon, nor a killed program withdraws the router", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, client } = await openNetwork(lab);
  using before = await startDaemon(gateway, config, folder);
  const behind = await listenOn(client);
  await configure(before, onLan);
  await until("the client has a default route", async () => (await defaultRoutes(client)).length === 1);
  const programs = await programsOn(gateway);
  expect(programs.length).toBeGreaterThanOrEqual(1);
  const all: Received[] = [];
  const next = async (what: string, isSo: (it: Received) => boolean, solicits = false): Promise<void> => {
    await until(what, async () => {
      const arrived = await behind(solicits ? "solicit" : "");
      all.push(...arrived);
      return arrived.some(isSo);
    });
  };

  expect(await configure(before, { ...onLan, lifetime_sec: 600 })).toMatchObject({
    interfaces: [{ lifetime_sec: 600, status: "advertising" }],
  });
  await next("another lifetime is advertised", ({ lifetime }) => lifetime === 600);
  await gateway.run("ip", "address", "add", "fd78::1/64", "dev", "lan0", "nodad");
  await next("another network is advertised", ({ prefixes }) => prefixes.some(({ prefix }) => prefix === "fd78::/64"));
  expect(await programsOn(gateway)).toEqual(programs); // Reloaded, not restarted.

  await before.kill();
  await next("it is advertised without a daemon", ({ lifetime }) => lifetime === 600, true);
  using after = await startDaemon(gateway, config, folder);
  await until("another daemon knows", async () => (await state(after)).interfaces[0]!.status === "advertising");
  expect(await programsOn(gateway)).toEqual(programs);

  for (const processId of programs) endNow(Number(processId));
  await until("another program runs", async () => {
    const others = await programsOn(gateway);
    return others.length > 0 && others.every((it) => !programs.includes(it));
  });
  await until("it advertises", async () => (await state(after)).interfaces[0]!.status === "advertising");
  all.push(...(await behind()));
  await next("it answers", ({ lifetime }) => lifetime === 600, true);
  expect(all.filter(({ lifetime }) => lifetime === 0)).toEqual([]);
  expect(await defaultRoutes(client)).toHaveLength(1);

  // It sees the kernel's setting: where forwarding is off, it would advertise no router.
  const output = readFileSync(`${folder.path}/run/children/radvd.lan0.output`, "utf8");
  expect(output).toContain("started");
  expect(output).not.toContain("IPv6 forwarding seems to be disabled");
  // The control: an end that is configured is advertised.
  await configure(after);
  await next("the end is advertised", ({ lifetime }) => lifetime === 0);
  await after.stop();
});

/** The end of the outermost process of a sandbox ends the others. */
function endNow(processId: number): void {
  try {
    process.kill(processId, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

test("router advertisements: an interface on which it is impossible says why, and is advertised on when it is possible", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, second } = await openNetwork(lab);
  using daemon = await startDaemon(gateway, config, folder);
  const { interfaces } = await configure(daemon, onLan, { interface: "lan1", lifetime_sec: 300 });
  const none = "lan1 has no address in an IPv6 network with a prefix of 64 bits";
  expect(interfaces).toMatchObject([
    { interface: "lan0", status: "advertising" },
    { interface: "lan1", status: "failed", reason: none, prefixes: [] },
  ]);
  expect(await component(daemon)).toBe(`degraded: The gateway is not advertised as IPv6 router on lan1: ${none}`);
  const becomes = (status: string, reason = ""): Promise<number> =>
    until(`lan1: ${status} ${reason}`, async () => {
      const { interfaces: all } = await state(daemon);
      return all[1]!.status === status && all[1]!.reason === reason;
    });
  const address = ["fd78::1/64", "dev", "lan1", "nodad"];
  await gateway.run("ip", "address", "add", ...address);
  await becomes("advertising");
  await until("its client has a default route", async () => (await defaultRoutes(second)).length === 1);

  // A device that would no longer be recognised.
  const nas = { name: "NAS", mac: null, ips: ["10.78.0.9"] };
  const { id } = (await daemon.ok("POST", "/devices", nas)) as { id: string };
  await becomes(
    "failed",
    "The device 10.78.0.9 has no MAC, so with its new IPv6 addresses it would be an unknown device",
  );
  await until("its client has no default route", async () => (await defaultRoutes(second)).length === 0);
  await daemon.ok("PUT", `/devices/${id}`, { mac: "02:00:00:00:00:09" });
  await becomes("advertising");
  await until("its client has one again", async () => (await defaultRoutes(second)).length === 1);

  // An interface that is created again.
  await gateway.run("ip", "link", "del", "lan1");
  await becomes("failed", "lan1 does not exist");
  await connectSecond(lab, gateway, second);
  await gateway.run("ip", "address", "add", ...address);
  await becomes("advertising");
  await until("the client of the new link has a default route", async () => (await defaultRoutes(second)).length === 1);
  await daemon.stop();
});

test("router advertisements: a program that was taken over sends nothing else, and nothing by an uplink (T-always-15)", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, client, outside } = await openNetwork(lab);
  using daemon = await startDaemon(gateway, config, folder);
  for (const host of [client, outside]) await host.run("nft", arrivals);
  const [lan, wan] = [await indexOf(gateway, "lan0"), await indexOf(gateway, "wan0")];
  const near = await linkLocalOf(client, "eth0");
  const [advertisement, echo] = [134, 128];
  const attempts = [
    [lan, advertisement, "ff02::1"],
    [lan, advertisement, near],
    [lan, echo, near],
    [lan, advertisement, "ff02::2"],
    [wan, advertisement, "ff02::1"],
    [wan, echo, "ff02::1"],
    [wan, echo, "fd79::2"],
  ] as const;
  // The control: another user, in the same sandbox, sends by both.
  expect(await tried(gateway, advertiserUser + 1, attempts)).toEqual([
    "other raw 1",
    ...attempts.map(() => "sent"),
    "datagram sent",
  ]);
  const before = [await arrivedAt(client), await arrivedAt(outside)];
  expect(before).toEqual([
    { advertisements: 3, others: 1 },
    { advertisements: 1, others: 3 },
  ]);
  expect(await tried(gateway, advertiserUser, attempts)).toEqual([
    "other raw 1",
    "sent",
    "sent",
    ...attempts.slice(2).map(() => "1"),
    "datagram 1",
  ]);
  expect([await arrivedAt(client), await arrivedAt(outside)]).toEqual([
    { advertisements: 5, others: 1 },
    { advertisements: 1, others: 3 },
  ]);
  await daemon.stop();
});

interface Received {
  readonly from: string;
  readonly lifetime: number;
  readonly prefixes: readonly { readonly prefix: string; readonly valid: number; readonly preferred: number }[];
  readonly resolvers: readonly { readonly address: string; readonly lifetime: number }[];
}
type Listener = (line?: "" | "solicit") => Promise<readonly Received[]>;

/** Advertisements that arrived since the call before. */
async function listenOn(host: Host): Promise<Listener> {
  const script: JsonScript = await startJsonScript(host, "advertisements.py", "eth0");
  return async (line = "") => (await script.request(line)) as readonly Received[];
}

/** What arrives within a time after a request. Its absence cannot be awaited otherwise. */
async function solicited(listen: Listener, forMs: number): Promise<readonly Received[]> {
  const received = [...(await listen("solicit"))];
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs) received.push(...(await listen()));
  return received;
}

/** What a program in the sandbox of radvd can do: a raw socket of another protocol, messages by an interface, and a datagram to the uplink. */
async function tried(
  gateway: Host,
  userId: number,
  attempts: readonly (readonly [index: number, type: number, to: string])[],
): Promise<string[]> {
  const script = String.raw`
    use Socket qw(inet_pton);
    print "other raw ", socket(my $r, 10, 3, 255) ? 0 : $! + 0, "\n";
    socket(my $s, 10, 3, 58) or die "socket $!";
    setsockopt($s, 1, 36, pack("L", 0x80000001)); # A mark for the uplink, where the kernel permits it.
    setsockopt($s, 41, 18, pack("i", 255));
    my $address = sub { pack("SnNa16L", 10, $_[1], 0, inet_pton(10, $_[0]), $_[2]) };
    for (@ARGV) {
      my ($index, $type, $to) = split /,/;
      my $message = pack("CCnNNN", $type, 0, 0, 0, 0, 0);
      print send($s, $message, 0, $address->($to, 0, $index)) ? "sent" : $! + 0, "\n";
    }
    socket(my $d, 10, 2, 0) or die "socket $!";
    print "datagram ", send($d, "x", 0, $address->("fd79::2", 4000, 0)) ? "sent" : $! + 0, "\n";
    print "done\n";`;
  const box = sandboxed({
    command: "perl",
    args: ["-e", script, ...attempts.map((it) => it.join(","))],
    userId,
    shown: {},
    privileges: ["net_raw"],
    rules: { icmpv6Sockets: true },
    port: 65_535,
  });
  using program = await launchedIn(gateway, [box.command, ...box.args], box.files);
  return (await program.lines()).filter((line) => line !== "done");
}

/** Counts what the attempts send. Nothing else sends echo requests or datagrams to this port. */
const arrivals = `table inet lab {
  counter advertisements { }
  counter others { }
  chain arrived {
    type filter hook prerouting priority -300;
    icmpv6 type nd-router-advert counter name advertisements
    icmpv6 type echo-request counter name others
    udp dport 4000 counter name others
  }
}`;

async function arrivedAt(host: Host): Promise<{ advertisements: number; others: number }> {
  const count = async (name: string) =>
    Number(/packets (\d+)/.exec(await host.run("nft", "list", "counter", "inet", "lab", name))![1]);
  return { advertisements: await count("advertisements"), others: await count("others") };
}

async function openNetwork(lab: Lab) {
  const [gateway, client, second, outside] = [
    await lab.host("gw"),
    await lab.host("client"),
    await lab.host("second"),
    await lab.host("outside"),
  ];
  await lab.cable(
    { host: gateway, device: "lan0", addresses: ["10.77.0.1/24", "fd77::1/64"] },
    { host: client, device: "eth0", addresses: [] },
  );
  await connectSecond(lab, gateway, second);
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["10.79.0.1/24", "fd79::1/64"] },
    { host: outside, device: "eth0", addresses: ["10.79.0.2/24", "fd79::2/64"] },
  );
  return { gateway, client, second, outside };
}

const connectSecond = (lab: Lab, gateway: Host, second: Host): Promise<void> =>
  lab.cable(
    { host: gateway, device: "lan1", addresses: ["10.78.0.1/24"] },
    { host: second, device: "eth0", addresses: [] },
  );

/** The routers of a host. */
async function defaultRoutes(host: Host): Promise<string[]> {
  const listed = JSON.parse((await host.run("ip", "-6", "-j", "route", "show", "default")) || "[]") as {
    gateway: string;
  }[];
  return listed.map(({ gateway }) => gateway);
}

interface AddressJson {
  readonly ifindex: number;
  readonly addr_info: readonly { readonly local: string; readonly scope: string }[];
}

const listed = async (host: Host, device: string): Promise<AddressJson> =>
  (JSON.parse(await host.run("ip", "-6", "-j", "address", "show", "dev", device)) as AddressJson[]).find(
    ({ ifindex }) => ifindex !== undefined,
  )!;
const addressesOf = async (host: Host): Promise<string[]> =>
  (await listed(host, "eth0")).addr_info.map(({ local }) => local);
const indexOf = async (host: Host, device: string): Promise<number> => (await listed(host, device)).ifindex;
const linkLocalOf = async (host: Host, device: string): Promise<string> =>
  (await listed(host, device)).addr_info.find(({ scope }) => scope === "link")!.local;

const programsOn = (gateway: Host): Promise<readonly string[]> => gateway.processesOf(advertiserUser);

const configure = async (daemon: LabDaemon, ...interfaces: readonly object[]): Promise<RouterAdvertisements> =>
  (await daemon.ok("PUT", "/router-advertisements", { interfaces })) as RouterAdvertisements;
const state = async (daemon: LabDaemon): Promise<RouterAdvertisements> =>
  (await daemon.ok("GET", "/router-advertisements")) as RouterAdvertisements;

async function component(daemon: LabDaemon): Promise<string> {
  const { components } = (await daemon.ok("GET", "/observer")) as {
    components: { name: string; status: string; message: string }[];
  };
  const { status, message } = components.find(({ name }) => name === "router-advertisements")!;
  return `${status}: ${message}`;
}
