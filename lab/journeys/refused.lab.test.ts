import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { egressAddress, egresses } from "../topology-egresses.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { type JsonScript, startJsonScript } from "../json-script.ts";
import { startFlowServer } from "../flow.ts";
import { type Device, openDeviceTopology, server, type DeviceTopology } from "../topology-devices.ts";

/*
 * A blocked device gets a TCP reset or an ICMP error at once, in both families, and nothing of it is seen outside:
 * neither its packets nor the gateway's packets about them. Packets from outside are dropped silently. Each test
 * continues where the previous one left the gateway.
 */
const network = { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" };
const config = { network, reconcile: { interval_sec: 86_400 } };
const folder = temporaryFolder();
const port = 7777;
let lab: Lab;
let topology: DeviceTopology;
let phone: Device;
let visitor: Device;
const probers = new Map<string, JsonScript>();
let daemon: LabDaemon;

beforeAll(async () => {
  lab = openLab();
  topology = await openDeviceTopology(lab);
  phone = await topology.device("phone", 1);
  visitor = await topology.device("visitor", 2);
  for (const device of [phone, visitor]) probers.set(device.name, await startJsonScript(device, "prober.py"));
  await startFlowServer(topology.outside, port, [server.v4, server.v6]);
  daemon = await startDaemon(topology.gateway, config, folder);
  await daemon.ok("POST", "/devices", { name: "phone", mac: phone.mac });
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const probes = (["tcp", "udp"] as const).flatMap((kind) =>
  ([server.v4, server.v6] as const).map((to) => ({ kind, to, port, hex: "61" })),
);
/** What a device gets for TCP and UDP in both families: an address, "refused", or "silence" after two seconds. */
const results = async (device: Device, flow?: string): Promise<readonly string[]> =>
  (await probers
    .get(device.name)!
    .request(
      JSON.stringify(
        probes.map((it) => ({ ...it, ...(flow !== undefined && { flow: `${flow} ${it.kind} ${it.to}` }) })),
      ),
    )) as string[];
const everyOne = (word: string): string[] => probes.map(() => word);
/** The server answers with the address it sees. */
const answeredBy = (egress: "wan0" | "t1"): string[] =>
  [0, 1].flatMap(() => (egress === "wan0" ? ["192.0.2.1", "2001:db8::1"] : ["192.0.2.9", "2001:db8:1::1"]));

/** The output of ping, in both families. */
const pings = (host: Host): Promise<readonly string[]> =>
  Promise.all(
    [server.v4, server.v6].map(async (to) => {
      const text = await host.run("bash", "-c", `ping -n -c 1 -W 2 ${to} || true`);
      return /bytes from/.test(text) ? "answered" : /filtered|prohibited/i.test(text) ? "prohibited" : "silence";
    }),
  );

/** Packets that were seen outside meanwhile, through any egress. */
async function seenOutside<T>(during: () => Promise<T>): Promise<number> {
  const before = await topology.counted();
  await during();
  const after = await topology.counted();
  return egresses.reduce((sum, egress) => sum + after[egress] - before[egress], 0);
}

/** What becomes of everything that a device tries, within the two seconds of a probe. */
async function attempted(device: Device, flow?: string): Promise<{ readonly seen: number }> {
  let outcome = {};
  const seen = await seenOutside(async () => {
    outcome = { connections: await results(device, flow), pings: await pings(device) };
  });
  return { ...outcome, seen };
}
const refused = { connections: everyOne("refused"), pings: ["prohibited", "prohibited"], seen: 0 };

/**
 * Like `attempted`, again where a refusal is missing: the kernel limits ICMP errors for all hosts of a machine together
 * (`icmp_msgs_per_sec`), and other tests use them up. A packet outside ends it.
 */
async function attemptedAgain(device: Device, flow?: string): Promise<object> {
  for (let left = 5; ; left--) {
    const outcome = await attempted(device, flow);
    if (left === 0 || outcome.seen > 0 || isDeepStrictEqual(outcome, refused)) return outcome;
  }
}

async function policy(body: object): Promise<string> {
  const { id } = (await daemon.ok("POST", "/routing/policies", {
    name: "phone",
    source_type: "device",
    source_value: "phone",
    fail_policy: "fail-closed",
    ...body,
  })) as { id: string };
  await daemon.ok("POST", "/routing/policies/apply");
  return id;
}
let current: string;

test("allowed, the device is answered, and what it sends is seen outside", async () => {
  expect(await attempted(phone, "first")).toEqual({
    connections: answeredBy("wan0"),
    pings: ["answered", "answered"],
    seen: expect.toSatisfy((packets: number) => packets > 0) as number,
  });
});

test("a policy that blocks: connections are refused, also those that were established (T-blocked-3)", async () => {
  current = await policy({ hops: [] });
  expect(await attemptedAgain(phone, "first")).toEqual(refused);
  expect(await attemptedAgain(phone)).toEqual(refused);
});

test("the policy is removed: the same device is answered again", async () => {
  await daemon.ok("DELETE", `/routing/policies/${current}`);
  await daemon.ok("POST", "/routing/policies/apply");
  expect(await results(phone)).toEqual(answeredBy("wan0"));
});

test("fail-closed while the tunnel is down: refused, also what ran through the tunnel", async () => {
  await policy({ hops: [{ type: "vpn", target: "t1" }] });
  expect(await results(phone, "tunnel")).toEqual(answeredBy("t1"));
  await topology.gateway.run("ip", "link", "set", "t1", "down");
  const evaluated = async () => JSON.stringify(await daemon.ok("GET", "/policy/postures")).includes('"blocked"');
  await until("the policy blocks", evaluated, 5);
  await daemon.ok("POST", "/enforce/reconcile");
  expect(await attemptedAgain(phone, "tunnel")).toEqual(refused);
  expect(await attemptedAgain(phone)).toEqual(refused);
});

test("a query to the gateway itself is not refused by that", async () => {
  // There is no resolver in this lab: an open port of the gateway stands for it.
  const listener = topology.gateway.start("python3", resolve("lab/flow.py"), "serve", "5353", "10.0.0.1");
  await expect.poll(() => listener.stdout!.readableLength, { interval: 20 }).toBeGreaterThan(0);
  const localProbe = [{ kind: "tcp", to: "10.0.0.1", port: 5353, hex: "61" }];
  expect(await probers.get("phone")!.request(JSON.stringify(localProbe))).toEqual(["10.0.0.2"]);
});

test("a device that floods gets a limited number of resets", async () => {
  const attempts = 3000;
  await phone.run(
    "nft",
    "table inet resets { chain input { type filter hook input priority 0; tcp flags rst counter; }; }",
  );
  let seconds = 0;
  const seen = await seenOutside(async () => {
    const took = await phone.run(
      "python3",
      "-c",
      `import socket, time
started = time.monotonic()
for _ in range(${attempts}):
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex(("${server.v4}", ${port}))
    one.close()
print(time.monotonic() - started)`,
    );
    seconds = Number(took);
  });
  const resets = Number(/packets (\d+)/.exec(await phone.run("nft", "list", "table", "inet", "resets"))![1]);
  expect(seen).toBe(0);
  expect(resets).toBeGreaterThanOrEqual(300);
  // 500 at once and 200 a second, and one second more than was measured.
  expect(resets).toBeLessThanOrEqual(500 + 200 * (seconds + 1));
  await phone.run("nft", "delete", "table", "inet", "resets");
});

test("a device in quarantine is refused (T-blocked-2)", async () => {
  expect(await results(visitor)).toEqual(answeredBy("wan0"));
  const { id } = (await daemon.ok("POST", "/devices", { name: "visitor", mac: visitor.mac })) as { id: string };
  await daemon.ok("POST", "/exceptions", { type: "quarantine", device_id: id });
  await daemon.ok("POST", "/enforce/reconcile");
  expect(await attemptedAgain(visitor)).toEqual(refused);
});

/** How many packets are seen outside when a host there sends datagrams to the gateway and, through it, to a device. */
async function repliesOutside(): Promise<number> {
  const mac = (await topology.gateway.run("cat", "/sys/class/net/wan0/address")).trim();
  const sender = topology.outside.start("python3", resolve("lab/inject.py"), mac);
  const sent = createInterface({ input: sender.stdout! });
  return seenOutside(async () => {
    for (const [from, to] of [
      [server.v4, egressAddress(0, 1).v4],
      [server.v6, egressAddress(0, 1).v6],
      [server.v4, "10.0.0.2"],
      [server.v6, "fd00::2"],
    ]) {
      const isSent = once(sent, "line");
      sender.stdin!.write(`from-wan0 02:77:00:00:00:01 ${from} ${to} 4000\n\n`);
      await isSent;
    }
    await topology.outside.run("ping", "-c", "3", "-i", "0.2", "-W", "1", egressAddress(0, 1).v4).catch(() => "");
  });
}

test("packets from outside are dropped without an answer", async () => {
  expect(await repliesOutside()).toBe(0);
});

test("a device without a policy where unknown ones are blocked: refused", async () => {
  await daemon.stop();
  daemon = await startDaemon(topology.gateway, { ...config, network: { ...network, default_egress: "block" } }, folder);
  await daemon.ok("POST", "/enforce/reconcile");
  const unknownSender = await topology.device("unknown", 3);
  probers.set("unknown", await startJsonScript(unknownSender, "prober.py"));
  expect(await attemptedAgain(unknownSender)).toEqual(refused);
});

test("without the LAN's routes nothing is sent about a blocked packet, by no interface", async () => {
  await daemon.kill(); // It would put the routes back.
  for (const family of ["-4", "-6"]) await topology.gateway.run("ip", family, "route", "flush", "table", "7900");
  for (const net of ["10.0.0.0/24", "fd00::/64"]) await topology.gateway.run("ip", "route", "del", net, "dev", "lan0");
  const seen = await seenOutside(async () => {
    expect(await results(phone)).toEqual(everyOne("silence"));
  });
  expect(seen).toBe(0);
});

test("control: without the guard the gateway would have answered foreign packets", async () => {
  await topology.gateway.run("nft", "flush", "chain", "inet", "portcullis_guard", "input");
  await topology.gateway.run("nft", "flush", "chain", "inet", "portcullis_guard", "output");
  expect(await repliesOutside()).toBeGreaterThan(0);
});
