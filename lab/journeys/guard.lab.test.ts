import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Egress, egressAddress } from "../topology-egresses.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { devices, freeMac, guardedMac, guardProbes } from "../guard-probes.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { ip, isAdvertised, isAnswered, isResolved, redirectsTo } from "../neighbours.ts";
import { type Device, openDeviceTopology, server, type DeviceTopology } from "../topology-devices.ts";
import { temporaryFolder } from "../../testing/folder.ts";

/*
 * What the guard and the kernel's settings refuse, whatever steering decides: foreign routes, forged senders, packets
 * for a tunnel's address that arrive on another interface, and neighbour requests for it. Two LANs, one uplink, three
 * tunnels. Everything is observed from outside. Each test continues where the previous one left off; the last ones
 * remove the guard.
 */

const config = {
  network: { lan_iface: "lan0", more_lan_ifaces: ["lan1"], wan_iface: "wan0", default_egress: "direct" },
  reconcile: { interval_sec: 86_400 },
};
const folder = temporaryFolder();
const innerAddress = egressAddress(1, 1);
let lab: Lab;
let topology: DeviceTopology;
let phone: Device;
let daemon: LabDaemon;

beforeAll(async () => {
  lab = openLab();
  topology = await openDeviceTopology(lab);
  phone = await topology.device("phone", 1);
  daemon = await startDaemon(topology.gateway, config, folder);
  await daemon.ok("POST", "/devices", { name: "phone", mac: guardedMac });
  await daemon.ok("POST", "/routing/policies", {
    name: "phone",
    source_type: "device",
    source_value: "phone",
    hops: [{ type: "vpn", target: "t1" }],
    fail_policy: "fail-closed",
  });
  await daemon.ok("POST", "/routing/policies/apply");
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const { nextPort, wish, guarded, free, leaves, dropped, forgedBy } = guardProbes(() => topology);

test("a device with a policy leaves by its tunnel, one without by the uplink", async () => {
  expect(await leaves(...guarded(), ...free())).toEqual(["t1", "t1", "wan0", "wan0"]);
});

/** As a DHCP client would add them for option 121, or a router for its advertisements. */
const foreign = [
  `route add ${server.v4}/32 via ${egressAddress(2, 2).v4} dev t2`,
  `route add 128.0.0.0/1 via ${egressAddress(2, 2).v4} dev t2`,
  `-6 route add ${server.v6}/128 via ${egressAddress(2, 2).v6} dev t2`,
  `-6 route add 2000::/3 via ${egressAddress(2, 2).v6} dev t2`,
];

test("routes that another program adds to the main table apply to the gateway, and to no device (T-always-9)", async () => {
  for (const route of foreign) await ip(topology.gateway, route);
  const before = await topology.counted();
  await isAnswered(topology.gateway, server.v4);
  await isAnswered(topology.gateway, server.v6);
  const now = await topology.counted();
  expect(now.t2 - before.t2).toBeGreaterThanOrEqual(2); // The routes are in force.
  expect(await leaves(...guarded(), ...free())).toEqual(["t1", "t1", "wan0", "wan0"]);
  for (const route of foreign) await ip(topology.gateway, route.replace(" add ", " del "));
});

test("an uplink that is given a public network leads no device into it (T-always-9)", async () => {
  const overlapping = [`address add 203.0.113.77/24 dev wan0`, `-6 address add 2001:db8:f::77/64 dev wan0 nodad`];
  for (const line of overlapping) await ip(topology.gateway, line);
  expect(await ip(topology.gateway, `route get ${server.v4}`)).toContain("dev wan0"); // It would be a neighbour of the uplink.
  await daemon.ok("POST", "/enforce/reconcile");
  expect(await leaves(...guarded())).toEqual(["t1", "t1"]);
  for (const line of overlapping) await ip(topology.gateway, line.replace(" add ", " del ").replace(" nodad", ""));
});

test("a LAN that overlaps a public network keeps packets inside, and sends none outside in the clear (T-always-9)", async () => {
  await ip(topology.gateway, "address add 203.0.113.1/24 dev lan1");
  await daemon.ok("POST", "/enforce/reconcile");
  const [here] = await leaves(wish(guardedMac, devices.v4, server.v4));
  const [elsewhere] = await leaves(wish(guardedMac, devices.v4, "198.51.100.7"));
  await ip(topology.gateway, "address del 203.0.113.1/24 dev lan1");
  await daemon.ok("POST", "/enforce/reconcile");
  expect(["lan1", "none", "t1"]).toContain(here);
  expect(elsewhere).toBe("t1");
});

test("packets with a forged source (the gateway, a tunnel, another LAN, the Internet) do not leave (T-always-8)", async () => {
  const forgedSources = {
    v4: ["10.0.0.1", "10.0.1.1", egressAddress(0, 1).v4, innerAddress.v4, "10.0.1.5", "198.51.100.99", server.v4],
    v6: ["fd00::1", "fd00:1::1", egressAddress(0, 1).v6, innerAddress.v6, "fd00:1::5", "2001:db8:e::99"],
  };
  const forged = [guardedMac, freeMac].flatMap((mac) => [
    ...forgedSources.v4.map((source) => wish(mac, source, "9.9.9.9")),
    ...forgedSources.v6.map((source) => wish(mac, source, "2001:db8:e::1")),
  ]);
  const before = await forgedBy(guardedMac, freeMac);
  expect(new Set(await leaves(...forged))).toEqual(new Set(["none"]));
  expect((await forgedBy(guardedMac, freeMac)) - before).toBe(forged.length);
  expect(await leaves(wish(freeMac, devices.v4, "9.9.9.9"), wish(freeMac, devices.v6, "2001:db8:e::1"))).toEqual([
    "wan0",
    "wan0",
  ]);
  expect(await leaves(wish(freeMac, "10.0.1.5", "9.9.9.9", "lan1"))).toEqual(["wan0"]);
});

test("a device of the LAN is not answered by a tunnel's address, and by the LAN's it is (T-always-6)", async () => {
  const before = await dropped("wrong_interface");
  expect(await isAnswered(phone, "10.0.0.1")).toBe(true);
  expect(await isAnswered(phone, "fd00::1")).toBe(true);
  expect(await isAnswered(phone, innerAddress.v4)).toBe(false);
  expect(await isAnswered(phone, innerAddress.v6)).toBe(false);
  expect((await dropped("wrong_interface")) - before).toBe(2);
});

/** A flow of the device, and whether it receives a packet injected from outside through this egress. */
async function injected(by: Egress): Promise<{ gotPacket: boolean; left: string[] }> {
  const own = 30_000 + nextPort();
  const far = 10_000 + (own % 50_000); // As lab/inject.py chooses it.
  const gatewayAddress = (await topology.gateway.run("cat", `/sys/class/net/${by}/address`)).trim();
  const attacker = topology.outside.start("python3", resolve("lab/inject.py"), gatewayAddress);
  const attacks = createInterface({ input: attacker.stdout! });
  await topology.outside.run("nft", "flush", "set", "inet", "watching", "seen");
  const listening = phone.start(
    "python3",
    "-c",
    `import socket, sys
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.bind(("10.0.0.2", ${own}))
one.sendto(b"hello", ("${server.v4}", ${far}))
print("sent", flush=True)
sys.stdin.readline()  # The answer has been sent.
one.settimeout(5)
try:
    print("arrived", one.recv(100).decode(), flush=True)
except TimeoutError:
    print("nothing", flush=True)`,
  );
  const output: string[] = [];
  listening.stdout!.on("data", (chunk: Buffer) => void output.push(chunk.toString()));
  await expect.poll(() => output.join(""), { interval: 20 }).toContain("sent");
  const left = async () =>
    [
      ...(await topology.outside.run("nft", "list", "set", "inet", "watching", "seen")).matchAll(
        /"from-(\w+)" \. (\d+)/g,
      ),
    ]
      .filter(([, , to]) => Number(to) === far)
      .map(([, egress]) => egress!);
  // Before that the gateway knows no flow that an answer could belong to.
  await expect.poll(left, { interval: 20 }).not.toEqual([]);
  const attacked = once(attacks, "line");
  attacker.stdin!.write(`from-${by} 02:77:00:00:00:01 ${server.v4} ${innerAddress.v4} ${own}\n\n`);
  await attacked;
  listening.stdin!.write("\n");
  await expect.poll(() => output.join(""), { interval: 20 }).toMatch(/arrived|nothing/);
  return { gotPacket: output.join("").includes("arrived probe"), left: await left() };
}

test("no host on the uplink can inject into a flow of a tunnel, also if its policy fails open (T-always-2, T-always-6)", async () => {
  const [{ id }] = (await daemon.ok("GET", "/routing/policies")) as [{ id: string }];
  expect(await injected("wan0")).toEqual({ gotPacket: false, left: ["t1"] });
  await daemon.ok("PUT", `/routing/policies/${id}`, { fail_policy: "fail-open" });
  await daemon.ok("POST", "/routing/policies/apply");
  const before = await dropped("wrong_interface");
  expect(await injected("wan0")).toEqual({ gotPacket: false, left: ["t1"] });
  expect(await dropped("wrong_interface")).toBe(before + 1);
  expect(await injected("t1")).toEqual({ gotPacket: true, left: ["t1"] });
  await daemon.ok("PUT", `/routing/policies/${id}`, { fail_policy: "fail-closed" });
  await daemon.ok("POST", "/routing/policies/apply");
});

/** A UDP socket of the gateway itself: where it is bound, its peer, and the address a forged reply is sent to. */
interface OwnSocket {
  readonly bound: string;
  readonly peer: string;
  /** Where replies are sent on the wire, if not to `bound`: the connection is masqueraded. */
  readonly wire?: string;
  /** The mark of an egress; without it the source address decides the interface. */
  readonly mark?: string;
  readonly device?: Egress;
}

/**
 * How many replies in its peer's name a socket of the gateway receives: one that arrives by its own interface, after a forged
 * one that arrives by another. Both have reached the end of their path when this resolves.
 */
async function received(victim: OwnSocket, at: At, other: At): Promise<number> {
  const { bound, peer, wire = bound, mark, device = "" } = victim;
  const own = 30_000 + nextPort();
  const far = 10_000 + (own % 50_000); // As lab/inject.py chooses it.
  const socket = topology.gateway.start(
    "python3",
    "-c",
    `import socket, struct
one = socket.socket(socket.AF_INET6 if ":" in "${bound}" else socket.AF_INET, socket.SOCK_DGRAM)
one.setsockopt(socket.SOL_SOCKET, 36, struct.pack("I", ${mark ?? 0}))
one.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"${device}")
one.bind(("${bound}", ${own}))
one.connect(("${peer}", ${far}))
one.send(b"hello")
print("sent", flush=True)
while True:
    print("received", one.recv(100).decode(), flush=True)`,
  );
  let output = "";
  socket.stdout!.on("data", (chunk: Buffer) => void (output += chunk.toString()));
  await expect.poll(() => output, { interval: 20 }).toContain("sent");
  const count = () => output.split("received probe").length - 1;
  const before = await dropped("wrong_interface");
  for (const by of [other, at]) {
    const wireMac = (await topology.gateway.run("cat", `/sys/class/net/${by}/address`)).trim();
    const sender = (by === "lan0" ? topology.clients : topology.outside).start(
      "python3",
      resolve("lab/inject.py"),
      wireMac,
    );
    sender.stdin!.write(`${by === "lan0" ? "to" : "from"}-${by} 02:77:00:00:00:01 ${peer} ${wire} ${own}\n\n`);
  }
  await expect.poll(async () => count() + (await dropped("wrong_interface")) - before, { interval: 20 }).toBe(2);
  return count();
}
type At = Egress | "lan0";

/** An address outside that sends no replies of its own. */
const silent = { v4: "198.51.100.7", v6: "2001:db8:e::7" } as const;

/** Each kind of connection the gateway has, and the interface it belongs to. */
async function ownSockets(): Promise<readonly (readonly [kind: string, at: At, other: At, OwnSocket])[]> {
  const pairs = await topology.gateway.run("nft", "list", "set", "inet", "portcullis_guard", "pairs");
  const mark = /(0x\w+) \. "t1"/.exec(pairs)![1]!;
  return [
    ["through a tunnel, IPv4", "t1", "wan0", { bound: innerAddress.v4, peer: silent.v4 }],
    ["through a tunnel, IPv6", "t1", "wan0", { bound: innerAddress.v6, peer: silent.v6 }],
    [
      "through a tunnel, masqueraded",
      "t1",
      "wan0",
      { bound: egressAddress(0, 1).v4, peer: silent.v4, wire: innerAddress.v4, mark },
    ],
    ["with a device, IPv4", "lan0", "wan0", { bound: "10.0.0.1", peer: "10.0.0.77" }],
    ["with a device, IPv6", "lan0", "wan0", { bound: "fd00::1", peer: "fd00::77" }],
    ["by the uplink, IPv4", "wan0", "t2", { bound: egressAddress(0, 1).v4, peer: silent.v4 }],
    ["by the uplink, IPv6", "wan0", "t2", { bound: egressAddress(0, 1).v6, peer: silent.v6 }],
  ];
}

test("a connection of the gateway receives packets by the interface that has its address, and by no other (T-always-6)", async () => {
  for (const [kind, at, other, socket] of await ownSockets())
    expect([kind, await received(socket, at, other)]).toEqual([kind, 1]);
});

test("an address that two tunnels have, as some providers give them, is good on both", async () => {
  const { id } = (await daemon.ok("POST", "/routing/policies", {
    name: "second",
    source_type: "subnet",
    source_value: "10.0.0.99",
    hops: [{ type: "vpn", target: "t2" }],
    fail_policy: "fail-closed",
  })) as { id: string };
  await daemon.ok("POST", "/routing/policies/apply");
  await ip(topology.gateway, `address add ${innerAddress.v4}/32 dev t2`);
  await daemon.ok("POST", "/enforce/reconcile");
  const pairs = await topology.gateway.run("nft", "list", "set", "inet", "portcullis_guard", "pairs");
  const markOf = (egress: Egress) => new RegExp(`(0x\\w+) \\. "${egress}"`).exec(pairs)![1]!;
  const probing = (egress: Egress) =>
    isAnswered(topology.gateway, "-m", String(Number(markOf(egress))), "-I", egress, "-I", innerAddress.v4, "9.9.9.9");
  const before = await topology.counted();
  await probing("t2");
  const after = await topology.counted();
  await probing("t1");
  const last = await topology.counted();
  const own = { bound: innerAddress.v4, peer: silent.v4 };
  for (const egress of ["t1", "t2"] as const)
    expect([egress, await received({ ...own, device: egress }, egress, "wan0")]).toEqual([egress, 1]);
  await ip(topology.gateway, `address del ${innerAddress.v4}/32 dev t2`);
  await daemon.ok("DELETE", `/routing/policies/${id}`);
  await daemon.ok("POST", "/routing/policies/apply");
  expect([after.t2 - before.t2, last.t1 - after.t1]).toEqual([1, 1]);
});

test("neighbours resolve addresses on their own wire, and no tunnel's (T-always-7)", async () => {
  expect(await isResolved(phone, "eth0", "10.0.0.1")).toBe(true);
  expect(await isResolved(phone, "eth0", innerAddress.v4)).toBe(false);
  expect(await isResolved(phone, "eth0", egressAddress(0, 1).v4)).toBe(false);
  expect(await isResolved(topology.outside, "from-wan0", egressAddress(0, 1).v4)).toBe(true);
  expect(await isResolved(topology.outside, "from-wan0", innerAddress.v4)).toBe(false);
  expect(await isResolved(topology.outside, "from-wan0", "10.0.0.1")).toBe(false);
});

test("neighbour solicitations are answered for addresses of their own wire, and of no other interface (T-always-7)", async () => {
  expect(await isAdvertised(phone, "eth0", "fd00::1")).toBe(true);
  expect(await isAdvertised(phone, "eth0", innerAddress.v6)).toBe(false);
  expect(await isAdvertised(phone, "eth0", egressAddress(0, 1).v6)).toBe(false);
  expect(await isAdvertised(topology.outside, "from-wan0", egressAddress(0, 1).v6)).toBe(true);
  expect(await isAdvertised(topology.outside, "from-wan0", innerAddress.v6)).toBe(false);
  expect(await isAdvertised(topology.outside, "from-wan0", "fd00::1")).toBe(false);
});

test("a LAN of two networks on one wire answers in both", async () => {
  await ip(topology.gateway, "address add 10.9.0.1/24 dev lan0");
  await ip(phone, "address add 10.9.0.2/24 dev eth0");
  await phone.run("ip", "neigh", "flush", "dev", "eth0");
  expect(await isAnswered(phone, "-I", "10.9.0.2", "10.9.0.1")).toBe(true);
  expect(await isAnswered(phone, "-I", "10.0.0.2", "10.0.0.1")).toBe(true);
  await ip(phone, "address del 10.9.0.2/24 dev eth0");
  await ip(topology.gateway, "address del 10.9.0.1/24 dev lan0");
});

test("a provider's router with an address of another network is answered on the uplink", async () => {
  await ip(topology.outside, "address add 100.64.0.1/32 dev from-wan0");
  await topology.outside.run("ip", "neigh", "flush", "dev", "from-wan0");
  const request = `import socket, struct
one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0806))
one.bind(("from-wan0", 0))
mac = open("/sys/class/net/from-wan0/address").read().strip()
own = bytes.fromhex(mac.replace(":", ""))
ask = struct.pack("!HHBBH6s4s6s4s", 1, 0x0800, 6, 4, 1, own, socket.inet_aton("100.64.0.1"), bytes(6), socket.inet_aton("${egressAddress(0, 1).v4}"))
one.send(b"\\xff" * 6 + own + b"\\x08\\x06" + ask)
one.settimeout(60)
while True:
    answer = one.recv(100)
    if answer[20:22] == b"\\x00\\x02" and answer[28:32] == socket.inet_aton("${egressAddress(0, 1).v4}"):
        print("answered")
        break`;
  expect(await topology.outside.run("python3", "-c", request)).toBe("answered\n");
  await ip(topology.outside, "address del 100.64.0.1/32 dev from-wan0");
});

/** The sender address of the gateway's ARP request on its LAN for an unknown address. */
async function arpSender(source: string, unknownAddress: string): Promise<string> {
  const watching = phone.start(
    "tcpdump",
    "-i",
    "eth0",
    "-n",
    "-l",
    "-c",
    "1",
    "arp",
    "and",
    "dst",
    "host",
    unknownAddress,
  );
  let [gotPacket, noise] = ["", ""];
  watching.stdout!.on("data", (chunk: Buffer) => void (gotPacket += chunk.toString()));
  watching.stderr!.on("data", (chunk: Buffer) => void (noise += chunk.toString()));
  await expect.poll(() => noise, { interval: 20 }).toContain("listening on");
  await isAnswered(topology.gateway, "-I", source, unknownAddress);
  await expect.poll(() => gotPacket, { interval: 20 }).toContain("tell");
  return /tell ([\d.]+)/.exec(gotPacket)![1]!;
}

test("ARP requests of the gateway have the address of that wire, whatever packet waits for the answer (T-always-7)", async () => {
  expect(await arpSender(egressAddress(0, 1).v4, "10.0.0.50")).toBe("10.0.0.1");
});

test("no device is redirected to a path around the gateway", async () => {
  expect(await redirectsTo(phone)).toEqual([0, 0]);
});

test("without these settings and rules all of that would have been seen", async () => {
  await daemon.kill(); // No repair from here on.
  await topology.gateway.run("sysctl", "-qw", "net.ipv4.conf.all.arp_ignore=0", "net.ipv4.conf.all.arp_announce=0");
  await topology.gateway.run("sysctl", "-qw", "net.ipv4.conf.lan0.arp_ignore=0");
  expect(await arpSender(egressAddress(0, 1).v4, "10.0.0.51")).toBe(egressAddress(0, 1).v4);
  expect(await isResolved(phone, "eth0", innerAddress.v4)).toBe(true);
  expect(await isResolved(topology.outside, "from-wan0", innerAddress.v4)).toBe(true);
  for (const name of ["all", "lan0"])
    await topology.gateway.run("sysctl", "-qw", `net.ipv4.conf.${name}.send_redirects=1`);
  await topology.gateway.run("nft", "flush", "chain", "inet", "portcullis_guard", "output");
  for (const count of await redirectsTo(phone)) expect(count).toBeGreaterThan(0);
  await topology.gateway.run("nft", "flush", "chain", "inet", "portcullis_guard", "input");
  expect(await isAnswered(phone, innerAddress.v4)).toBe(true);
  for (const [kind, at, other, socket] of await ownSockets())
    expect([kind, await received(socket, at, other)]).toEqual([kind, 2]);
  await topology.gateway.run(
    "bash",
    "-c",
    "nft delete rule inet portcullis classify handle $(nft -a list chain inet portcullis classify | grep forged | grep -o '[0-9]*$')",
  );
  expect(await leaves(wish(freeMac, "10.0.1.5", "9.9.9.9"), wish(freeMac, "198.51.100.99", "9.9.9.9"))).toEqual([
    "wan0",
    "wan0",
  ]);
});
