import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { peerKey, wireguardKey } from "../../testing/tunnels.ts";
import { type HopServer, type HopTopology, openHopTopology, type HopClient } from "../topology-hops.ts";
import type { Site } from "../internet.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { systemOn } from "../system.ts";

/*
 * Servers of hops are for the hops alone (T-always-4, T-always-5): not for a device that may go direct, not by an exception, not
 * by a listener of the gateway, and not for any other program on it. Datagrams of a size that no tunnel sends are looked for in the
 * core of the Internet; the port beside the server's is the control.
 */

let lab: Lab;
let topology: HopTopology;
let first: HopServer;
let outer: HopServer;
let inner: HopServer;
let proxy: HopServer;
let six: Site;
let guarded: HopClient;
let chained: HopClient;
let free: Host;

beforeAll(async () => {
  lab = openLab();
  topology = await openHopTopology(lab);
  [first, outer] = [await topology.wireguard("first"), await topology.wireguard("outer")];
  inner = await topology.wireguard("inner", false);
  proxy = await topology.proxy("socks"); // No policy leads there: whatever calls it is no hop of ours.
  six = await topology.net.site("six");
  const peer = { public_key: peerKey, endpoint: `[${six.v6}]:51820`, allowed_ips: ["0.0.0.0/0", "::/0"] };
  const config = { private_key: wireguardKey(), addresses: ["10.66.0.2/32"], peers: [peer] };
  await topology.api.ok("POST", "/tunnels", { name: "six", type: "wireguard", interface: "wgsix", config });
  guarded = await topology.addClient("guarded", [first]);
  chained = await topology.addClient("chained", [outer, inner]);
  const direct = await topology.addClient("free", [], { fail_policy: "fail-open" });
  free = direct.device;
  await topology.apply();
  await topology.api.ok("POST", `/tunnels/${inner.id}/up`);
  await systemOn(topology.net.core).run("nft", ["-f", "-"], { stdin: spying });
  for (const { seenFrom } of [guarded, chained])
    await until("the tunnels forward", async () => (await seenFrom()).length > 0, 40);
  await until("the free one is direct", async () => (await direct.seenFrom()).length > 0, 10);
});
afterAll(async () => {
  await topology?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

/** No message of WireGuard or OpenVPN is so short. */
const words = "0123456789abcdefghijklmno";
const spying = `table inet spying {
	set received4 { type ipv4_addr . inet_service; size 65535; flags dynamic; }
	set received6 { type ipv6_addr . inet_service; size 65535; flags dynamic; }
	chain prerouting {
		type filter hook prerouting priority raw; policy accept;
		iifname "to-*" accept
		udp length ${8 + words.length} update @received4 { ip daddr . udp dport }
		udp length ${8 + words.length} update @received6 { ip6 daddr . udp dport }
		tcp flags & (syn | ack) == syn update @received4 { ip daddr . tcp dport }
	}
}
`;

/** Destinations of these short packets in the core since the previous call, without those that come out of a tunnel. */
async function destinations(): Promise<string[]> {
  const all: string[] = [];
  for (const set of ["received4", "received6"]) {
    const text = await topology.net.core.run("nft", "-n", "list", "set", "inet", "spying", set);
    await topology.net.core.run("nft", "flush", "set", "inet", "spying", set);
    all.push(...[...text.matchAll(/([0-9a-f.:]+) \. (\d+)/g)].map(([, address, port]) => `${address} ${port}`));
  }
  // The residents connect to the web server all the time.
  return all.filter((it) => !it.endsWith(" 443")).toSorted();
}

/**
 * All destinations, once the control was received: a neighbour may have to be resolved before the first packet leaves.
 */
async function receivedWith(control: readonly string[]): Promise<string[]> {
  const all = new Set<string>();
  await until("the control is received", async () => {
    for (const it of await destinations()) all.add(it);
    return control.every((it) => all.has(it));
  });
  return [...all].toSorted();
}

const sendTo = (host: Host, to: readonly (readonly [string, number])[]) =>
  host.run(
    "python3",
    "-c",
    `import socket, json, sys
for host, port in json.loads(sys.argv[1]):
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.sendto(b"${words}", (host, port))
        except PermissionError:
            pass  # Programs on the gateway get EPERM.`,
    JSON.stringify(to),
  );
const calls = (host: Host, address: string, port: number) =>
  host.run("curl", "-s", "--connect-timeout", "1", `http://${address}:${port}`).catch(() => "");

const endpoints = () =>
  [
    [first.site.v4, 51_820],
    [outer.site.v4, 51_820],
    [inner.site.v4, 51_820],
    [six.v6, 51_820],
  ] as const;
const beside = () => endpoints().map(([address, port]) => [address, port + 1] as const);
const named = (all: readonly (readonly [string, number])[]) => all.map((it) => it.join(" ")).toSorted();

async function dropped(counter: string): Promise<number> {
  const text = await topology.net.gateway.run("nft", "list", "counter", "inet", "portcullis_guard", counter);
  return Number(/packets (\d+)/.exec(text)![1]);
}

test("a device that may go direct reaches every host, but none of the servers of tunnels (T-always-4, T-always-5)", async () => {
  await destinations();
  const before = { server: await dropped("leak_server"), wire: await dropped("leak_postrouting") };
  await sendTo(free, [...endpoints(), ...beside()]);
  expect(await receivedWith(named(beside()))).toEqual(named(beside()));
  const more = async () => [
    (await dropped("leak_server")) - before.server,
    (await dropped("leak_postrouting")) - before.wire,
  ];
  await until("the guard has counted them", async () => (await more()).reduce((sum, count) => sum + count, 0) >= 4);
  expect(await more()).toEqual([3, 1]);
});

test("nor does it reach the server of a proxy", async () => {
  for (const port of [1080, 1081]) await calls(free, proxy.site.v4, port);
  const control = [`${proxy.site.v4} 1081`];
  expect(await receivedWith(control)).toEqual(control);
});

test("an exception that lets a device out does not let it talk to the servers either", async () => {
  const [device] = ((await topology.api.ok("GET", "/devices")) as { id: string; name: string }[]).filter(
    ({ name }) => name === "guarded",
  );
  await guarded.traffic.stop();
  const { id } = (await topology.api.ok("POST", "/exceptions", {
    type: "emergency-bypass",
    device_id: device!.id,
    duration_min: 10,
  })) as { id: string };
  await destinations();
  await sendTo(guarded.device, [...endpoints(), ...beside()]);
  expect(await receivedWith(named(beside()))).toEqual(named(beside()));
  await topology.api.ok("DELETE", `/exceptions/${id}`);
  await topology.api.ok("POST", "/enforce/reconcile");
});

test("inside a tunnel a device may reach any host, servers of other tunnels too", async () => {
  await destinations();
  await systemOn(topology.net.core).run("nft", [
    "delete",
    "rule",
    "inet",
    "spying",
    "prerouting",
    "handle",
    await exempt(),
  ]);
  await sendTo(guarded.device, [[outer.site.v4, 51_820]]);
  await expect.poll(destinations).toContain(`${outer.site.v4} 51820`);
});
const exempt = async () =>
  /iifname "to-\*" accept # handle (\d+)/.exec(
    await topology.net.core.run("nft", "-a", "list", "chain", "inet", "spying", "prerouting"),
  )![1]!;

test("a program on the gateway that is not the hop itself does not reach the servers", async () => {
  await destinations();
  await sendTo(topology.net.gateway, [...endpoints(), ...beside()]);
  expect(await receivedWith(named(beside()))).toEqual(named(beside()));
});

test("a listener of the gateway does not lead to them, with whatever password", async () => {
  const echoServer = await topology.net.site("echo");
  const server = echoServer.host.start("python3", resolve("lab/echo-server.py"), "8000");
  await once(createInterface({ input: server.stdout! }), "line");
  const account = { username: "lena", password: "secret of hers" };
  await topology.api.ok("POST", "/proxies", { name: "out", kind: "local", listen: "10.0.0.1:1082", ...account });
  const through = (address: string, port: number) =>
    free
      .run(
        "curl",
        "-s",
        "-m",
        "3",
        "--proxy",
        `socks5://lena:${encodeURIComponent(account.password)}@10.0.0.1:1082`,
        `http://${address}:${port}/`,
      )
      .catch(() => "nothing");
  await until("it forwards", async () => (await through(echoServer.v4, 8000)) !== "nothing", 15);
  await destinations();
  const before = await dropped("leak_server");
  // On a busy machine curl may give up before the listener has tried to connect.
  await until("the guard drops the connection", async () => {
    expect(await through(proxy.site.v4, 1080)).toBe("nothing");
    return (await dropped("leak_server")) > before;
  });
  expect(await destinations()).toEqual([]);
});

test("the tunnels themselves forward all the while", async () => {
  await expect.poll(chained.seenFrom).toContain(inner.site.v4);
});

test("control: without the rule the same packets are received", async () => {
  await topology.kill(); // No repair of the guard from here on.
  await topology.net.gateway.run("nft", "flush", "chain", "inet", "portcullis_guard", "servers");
  await destinations();
  await sendTo(free, endpoints());
  const expected = named(endpoints().filter(([address]) => address !== inner.site.v4));
  const again = (await receivedWith(expected)).filter((it) => it.endsWith(" 51820"));
  await topology.restart();
  expect(again).toEqual(expected);
});
