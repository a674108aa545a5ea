import { afterAll, beforeAll, expect, test } from "vitest";
import { userOf } from "../../daemon/src/engines/sandbox/sandbox.model.ts";
import type { SocksListener } from "../../daemon/src/engines/socks-listener/socks-listener.model.ts";
import type { Redirect } from "../../daemon/src/engines/nftables/redirect/redirect.model.ts";
import type { Redirector } from "../../daemon/src/engines/redsocks/redsocks.model.ts";
import { connections } from "../../daemon/src/engines/sockets/sockets.ts";
import { until } from "../../testing/deadline.ts";
import { enginesFolder, pathsContaining } from "../tunnel-engines.ts";
import { bring } from "../loader.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import {
  openProxyTopology,
  addresses,
  proxyEgress,
  proxyEngines,
  type ProxyTopology,
  t1Mark,
} from "../topology-proxies.ts";
import { openFlow } from "../flow.ts";

/*
 * A device sends everything to a redirector, which reaches its server through t1 only. A second client uses SOCKS5
 * itself, with a listener whose packets leave through t1 too. The gateway's own default route is wan0: no packet may
 * ever be seen there.
 */
let folders: { readonly gateway: ReturnType<typeof enginesFolder>; readonly proxy: ReturnType<typeof enginesFolder> };
let lab: Lab;
let topology: ProxyTopology;
let here: ReturnType<typeof proxyEngines>;
let there: ReturnType<typeof proxyEngines>;

/** The passwords are looked for in every process of the machine: another run of this file has others. */
const login = { username: "alice", password: `a "b\\c; } ${process.pid}` };
const redirector: Redirector = {
  name: "nl",
  port: 12_345,
  server: { address: addresses.proxy, port: 1080 },
  credentials: login,
};
const listener: SocksListener = {
  name: "kiosk",
  listen: { address: "10.0.0.1", port: 1080 },
  interface: "t1",
  credentials: { username: "bob", password: `s3cret pass ${process.pid}` },
  userId: userOf(1080),
  nameservers: [addresses.web],
};
const upstream: SocksListener = {
  name: "server",
  listen: { address: addresses.proxy, port: 1080 },
  interface: "eth0",
  credentials: login,
  userId: userOf(1),
};
const rules: Redirect = {
  lan: ["lan0"],
  redirectors: [{ ...redirector, egresses: [proxyEgress], mark: t1Mark, interface: "t1" }],
  listeners: [{ name: "kiosk", port: 1080, userId: listener.userId, mark: t1Mark, interface: "t1" }],
  dns: null,
};

async function moveIn(): Promise<void> {
  folders = { gateway: enginesFolder(), proxy: enginesFolder() };
  lab = openLab();
  topology = await openProxyTopology(lab);
  here = proxyEngines(topology.gateway, folders.gateway.path);
  there = proxyEngines(topology.proxy, folders.proxy.path);
  await topology.steer(proxyEgress);
  await bring(here.proxies, rules);
  await bring(here.redsocks, [redirector]);
  await bring(here.socksListener, [listener]);
  await bring(there.socksListener, [upstream]);
  for (const [engines, port] of [
    [here, 12_345],
    [here, 1080],
    [there, 1080],
  ] as const)
    await listening(engines.system, port);
  await topology.counted();
}
async function moveOut(): Promise<void> {
  for (const { supervisor } of [here, there]) supervisor.close();
  for (const folder of Object.values(folders)) folder[Symbol.dispose]();
  await lab[Symbol.asyncDispose]();
}
beforeAll(moveIn);
afterAll(moveOut);

/** The programs do not report when they are ready, so /proc shows it. */
async function listening(system: (typeof here)["system"], port: number): Promise<void> {
  const pattern = new RegExp(`:${port.toString(16).toUpperCase().padStart(4, "0")} \\S+ 0A `);
  await until(`port ${port} is listened on`, async () => pattern.test(system.readText("/proc/net/tcp")!), 20);
}

/** What the web server sees of a new connection of the device. Who expects no answer does not wait long for it. */
const seen = (patienceSec = 20) => openFlow(topology.device, "tcp", addresses.web, 80, patienceSec).request();
const unanswered = () => seen(2);

/** The same through the listener. */
async function requestThrough(
  kind: "tcp" | "udp",
  target: string,
  port = 80,
  { username, password } = listener.credentials!,
) {
  const words = ["10.0.0.1", "1080", username, password, kind, target, String(port)];
  return (await topology.device.run("python3", "lab/socks5-client.py", ...words)).trim();
}

const knocks = (address: string, port: number) =>
  topology.device.run("python3", "-c", `import socket; socket.create_connection(("${address}", ${port}), 5)`).then(
    () => true,
    () => false,
  );

test("redsocks: TCP of a device has the proxy's source address, and reaches the proxy through the outer hop", async () => {
  expect(await seen()).toBe(addresses.proxy);
  const { wan, t1 } = await topology.counted();
  expect({ wan, isT1Used: t1 > 5 }).toEqual({ wan: 0, isT1Used: true });
  expect(await seen()).toBe(addresses.proxy);
  expect(connections(here.system)(12_345)).toBe(2); // Neither has been closed.
  const [counted] = await here.proxies.traffic(rules);
  expect(counted).toMatchObject({ kind: "redirector", name: "nl" });
  expect([counted!.received.bytes > 200, counted!.sent.bytes > 200]).toEqual([true, true]);
});

/** What lies at each end of connections, together: not taken by its program yet, not confirmed by the other side yet. */
async function lyingAt(
  host: Host,
  ...which: string[]
): Promise<{ readonly unread: number; readonly unconfirmed: number }> {
  const lines = [...(await host.run("ss", "-Htn", ...which)).matchAll(/^\S+\s+(\d+)\s+(\d+)/gm)];
  const sum = (column: 1 | 2) => lines.reduce((all, line) => all + Number(line[column]), 0);
  return { unread: sum(1), unconfirmed: sum(2) };
}

/** Sends a request, and runs `act` before the answer arrives. */
async function meanwhile(happens: () => Promise<unknown>) {
  const traffic = openFlow(topology.device, "tcp", addresses.web, 80);
  await until("the device is answered", async () => (await traffic.request()) === addresses.proxy, 20);
  const [server] = there.supervisor
    .observe("socks-listener")
    .map(({ condition }) => condition as { processId: number });
  process.kill(-server!.processId, "SIGSTOP");
  const atServer = () => lyingAt(topology.proxy, "sport = :1080");
  const atDevice = () => lyingAt(topology.device, `dst ${addresses.web}`);
  const [{ unread }, { unconfirmed }] = [await atServer(), await atDevice()]; // Connections of before are among them.
  const answer = traffic.request();
  try {
    await until("the request is queued at the server", async () => (await atServer()).unread > unread, 20);
    // Unacknowledged data is retransmitted, and conntrack knows the connection again.
    await until("the device knows that it arrived", async () => (await atDevice()).unconfirmed <= unconfirmed, 20);
    await happens();
  } finally {
    process.kill(-server!.processId, "SIGCONT");
  }
  return { traffic, answer: await answer };
}

test("replies to a device reach the LAN or are dropped, also without a conntrack entry (T-always-12)", async () => {
  const forget = () => topology.gateway.run("conntrack", "-D", "-s", "10.0.0.2", "-p", "tcp");
  await topology.toLan();
  const { traffic, answer } = await meanwhile(forget);
  expect([answer, await topology.toLan()]).toEqual(["silence", 0]);
  // The next packet of the device creates the conntrack entry again.
  await until("the device is answered again", async () => (await traffic.request()) === addresses.proxy, 20);
  const given = "insert rule inet portcullis_redirect assign_egress meta mark set meta skuid map @user_mark accept\n";
  await here.system.run("nft", ["-f", "-"], { stdin: given });
  const other = await meanwhile(forget);
  await until("it goes elsewhere", async () => (await topology.toLan()) > 0, 20); // It would have been seen.
  await reload();
  await topology.gateway.run("conntrack", "-D", "-d", "10.0.0.2", "-p", "tcp");
  await until("the device is answered again", async () => (await other.traffic.request()) === addresses.proxy, 20);
});

test("redsocks: what the proxy cannot forward is blocked", async () => {
  await topology.counted();
  expect(await openFlow(topology.device, "udp", addresses.web, 80).request()).not.toMatch(/\d/);
  expect((await topology.counted()).wan).toBe(0);
  await topology.steer(1);
  expect(await openFlow(topology.device, "udp", addresses.web, 80, 20).request()).toBe(addresses.wan); // It would be seen.
  await topology.steer(proxyEgress);
});

test("redsocks: the redirector accepts redirected connections only", async () => {
  expect(await knocks("10.0.0.1", 12_345)).toBe(false);
  await topology.gateway.run("nft", "flush", "chain", "inet", "portcullis_redirect", "input");
  expect(await knocks("10.0.0.1", 12_345)).toBe(true);
  await reload();
  expect(await knocks("10.0.0.1", 12_345)).toBe(false);
});

/** The table was changed, as seen by an engine without state. */
const reload = (wanted = rules) => bring(proxyEngines(topology.gateway, folders.gateway.path).proxies, wanted);

test("without its server, or with a wrong password, there is no connection and nothing leaves elsewhere", async () => {
  await topology.counted();
  await bring(there.socksListener, [{ ...upstream, credentials: { ...login, password: "another" } }]);
  await listening(there.system, 1080);
  expect(await unanswered()).not.toMatch(/\d/);
  await bring(there.socksListener, []);
  expect(await unanswered()).not.toMatch(/\d/);
  await bring(there.socksListener, [{ ...upstream, credentials: null }]);
  await listening(there.system, 1080);
  await bring(here.redsocks, [{ ...redirector, credentials: null }]);
  await listening(here.system, 12_345);
  expect(await seen()).toBe(addresses.proxy); // It works without a password as well.
  await bring(there.socksListener, [upstream]);
  await bring(here.redsocks, [redirector]);
  await listening(there.system, 1080);
  await listening(here.system, 12_345);
  expect(await seen()).toBe(addresses.proxy);
  expect((await topology.counted()).wan).toBe(0);
});

test("a redirector that is killed comes back", async () => {
  const processOf = async () => (await topology.gateway.processesOf(userOf(12_345)))[0] ?? "";
  const before = await processOf();
  await topology.gateway.run("kill", "-9", before);
  const isAnother = async () => {
    await bring(here.redsocks, [redirector]); // As a reconciler does when the supervisor reports.
    return !["", before].includes(await processOf());
  };
  await until("another process runs", isAnother, 20);
  await listening(here.system, 12_345);
  expect(here.redsocks.states([redirector])).toEqual([{ name: "nl", kind: "running", problem: null }]);
  expect(await seen()).toBe(addresses.proxy);
});

test("SOCKS5 listener: TCP, UDP and names leave through its own egress, and clients are authenticated", async () => {
  await topology.counted();
  expect(await requestThrough("tcp", addresses.web)).toBe(addresses.t1);
  expect(await requestThrough("tcp", addresses.web6)).toBe(addresses.t16);
  expect(await requestThrough("udp", addresses.web)).toBe(addresses.t1);
  expect(await requestThrough("tcp", "web.example")).toBe(addresses.t1);
  expect(new Set(JSON.parse(await topology.dnsServer.request("who")) as string[])).toEqual(new Set([addresses.t1]));
  expect(await requestThrough("tcp", addresses.web, 80, { username: "bob", password: "wrong" })).toBe(
    "refused password",
  );
  expect(await requestThrough("tcp", addresses.web, 80, { username: "", password: "" })).toMatch(/^refused/);
  expect((await topology.counted()).wan).toBe(0);
  const counted = (await here.proxies.traffic(rules)).find(({ name }) => name === "kiosk")!;
  expect([counted.received.bytes > 200, counted.sent.bytes > 200]).toEqual([true, true]);
});

test("every process and every packet of a listener has its user", async () => {
  await systemProof();
  for (const kind of ["tcp", "udp"] as const) expect(await requestThrough(kind, addresses.web)).toBe(addresses.t1);
  expect(await requestThrough("tcp", "other.example")).toBe(addresses.t1);
  const text = await topology.gateway.run("nft", "list", "table", "inet", "proof");
  const count = (name: string) => Number(new RegExp(`counter ${name} \\{\\s+packets (\\d+)`).exec(text)![1]);
  expect(count("by_listener")).toBeGreaterThan(10);
  expect(count("by_others")).toBe(0);
  const [{ processId }] = here.supervisor
    .observe("socks-listener")
    .map(({ condition }) => condition as { processId: number }) as [{ processId: number }];
  const session = await topology.gateway.run("ps", "-o", "uid=,comm=", "--sid", String(processId));
  const owners = session.split("\n").filter((line) => line.includes("socks-listener"));
  expect(owners).toHaveLength(1);
  expect(new Set(owners.map((line) => Number(line.trim().split(/\s+/)[0])))).toEqual(new Set([listener.userId]));
});

/** Counts what leaves through t1 by its sender. Packets that the kernel makes without a socket have none. */
const systemProof = () =>
  here.system.run("nft", ["-f", "-"], {
    stdin: `table inet proof {
	counter by_listener { }
	counter by_others { }
	chain wire {
		type filter hook postrouting priority filter + 20; policy accept;
		oifname != "t1" accept
		meta nfproto ipv6 accept
		meta skuid ${listener.userId} counter name by_listener accept
		counter name by_others
	}
}
`,
  });

test("SOCKS5 listener: names are queried through its egress or not at all", async () => {
  const query = `import socket; socket.socket(2, 2).sendto(bytes(12) + b"\\x01x\\0\\0\\1\\0\\1", ("${addresses.web}", 53))`;
  await topology.gateway.run("ip", "link", "set", "t1", "down");
  await topology.counted();
  for (const target of ["lost.example", "web.example", "localhost"])
    expect(await requestThrough("tcp", target)).not.toMatch(/\d+\./);
  expect((await topology.counted()).wan).toBe(0);
  // A query of the gateway's own leaves by its default route, and is seen there.
  await topology.gateway.run("python3", "-c", query);
  await until("it leaves by wan0", async () => (await topology.counted()).wan > 0, 20);
  await here.system.run("ip", ["-batch", "-"], {
    stdin: "link set t1 up\nroute replace default via 192.0.2.2 dev t1 table 7002\n",
  });
  const works = async () => (await requestThrough("tcp", "found.example")) === addresses.t1;
  await until("names are resolved again", works, 20);
});

test("SOCKS5 listener: it gives no access to the gateway itself, nor to the LAN", async () => {
  const inside = topology.gateway.start("python3", "lab/flow.py", "serve", "8099", "127.0.0.1", "10.0.0.1");
  await new Promise((resolve) => inside.stdout!.once("data", resolve));
  const own = await topology.gateway.run(
    "python3",
    "-c",
    'import socket; socket.create_connection(("127.0.0.1", 8099), 1)',
  );
  expect(own).toBe(""); // It is there.
  for (const address of ["127.0.0.1", "10.0.0.1"])
    expect(await requestThrough("tcp", address, 8099)).not.toMatch(/\d+\./);
});

test("a lost egress takes the listener and the redirector with it", async () => {
  await topology.counted();
  await topology.gateway.run("ip", "link", "set", "t1", "down");
  expect([await unanswered(), await requestThrough("tcp", addresses.web)].join()).not.toMatch(/\d+\./);
  expect((await topology.counted()).wan).toBe(0);
  await here.system.run("ip", ["-batch", "-"], {
    stdin: "link set t1 up\nroute replace default via 192.0.2.2 dev t1 table 7002\n",
  });
  await until(
    "the listener forwards again",
    async () => (await requestThrough("tcp", addresses.web)) === addresses.t1,
    20,
  );
  expect(await seen()).toBe(addresses.proxy);
});

test("a program with an unknown user cannot send, and its connections end", async () => {
  const traffic = openFlow(topology.device, "tcp", addresses.web, 80);
  await until("the device is answered", async () => (await traffic.request()) === addresses.proxy, 20);
  await topology.counted();
  await reload({ ...rules, redirectors: [], listeners: [] });
  expect(await traffic.request()).toBe("silence");
  expect(await requestThrough("tcp", addresses.web)).toBe("silence");
  // Sockets that their program has left behind have no user any more, and still something to say.
  await bring(here.redsocks, []);
  await bring(here.socksListener, []);
  expect((await topology.counted()).wan).toBe(0);
  await reload();
  await bring(here.redsocks, [redirector]);
  await bring(here.socksListener, [listener]);
  for (const port of [12_345, 1080]) await listening(here.system, port);
  expect([await seen(), await requestThrough("tcp", addresses.web)]).toEqual([addresses.proxy, addresses.t1]);
});

test("packets of orphaned sockets do not leave through the gateway's default route, also without a conntrack entry", async () => {
  const traffic = openFlow(topology.device, "tcp", addresses.web, 80, 20);
  expect(await traffic.request()).toBe(addresses.proxy);
  await topology.counted();
  // As after a short loss of the egress: its interface takes the conntrack entries with it.
  await topology.gateway.run("conntrack", "-D", "-p", "tcp", "--dport", "1080");
  await reload({ ...rules, redirectors: [], listeners: [] });
  await bring(here.redsocks, []);
  await new Promise((resolve) => setTimeout(resolve, 2000)); // It retransmits its FIN several times, with growing intervals.
  expect((await topology.counted()).wan).toBe(0);
  await topology.gateway.run("nft", "flush", "chain", "inet", "portcullis_guard", "output");
  await until("it leaves by wan0", async () => (await topology.counted()).wan > 0, 20); // It would have been seen.
  await topology.loadGuard();
  await reload();
  await bring(here.redsocks, [redirector]);
  await listening(here.system, 12_345);
  expect(await seen()).toBe(addresses.proxy);
});

test("unmarked packets do not leave through the gateway's default route", async () => {
  await topology.counted();
  await topology.gateway.run("nft", "flush", "chain", "inet", "portcullis_redirect", "output_mark");
  expect(await unanswered()).not.toMatch(/\d/);
  await requestThrough("tcp", addresses.web); // It still leaves with the address of its egress, and so through it.
  expect((await topology.counted()).wan).toBe(0);
  await topology.gateway.run("nft", "flush", "chain", "inet", "portcullis_redirect", "postrouting_check");
  const leaves = async () => {
    await unanswered();
    return (await topology.counted()).wan > 0;
  };
  await until("it leaves by wan0", leaves, 20); // That is what it would be like.
  await reload();
});

test("no other address of the gateway was ever seen behind the egress", async () => {
  expect(await topology.unexpectedSource()).toBe(0);
  await topology.gateway.run("nft", "flush", "chain", "inet", "portcullis_nat", "postrouting");
  await topology.gateway.run("nft", "flush", "chain", "inet", "portcullis_redirect", "postrouting_source");
  await topology.gateway.run("nft", "flush", "chain", "inet", "portcullis_guard", "postrouting_guard");
  const isStrange = async () => {
    await unanswered();
    return (await topology.unexpectedSource()) > 0;
  };
  await until("another address is seen", isStrange, 20); // It would have been seen.
});

test("routes by user keep a program on its egress without any nft rule, and without any default route", async () => {
  // Anew: controls have let connections out by wan0, and what is left of them would be taken for what is looked for here.
  await moveOut();
  await moveIn();
  for (const port of [1080, 12_345])
    await topology.gateway.run(
      ...words(`ip rule add priority 7950 uidrange ${userOf(port)}-${userOf(port)} lookup 7002`),
    );
  await topology.gateway.run(...words("ip route del default"));
  expect(await requestThrough("tcp", "no-uplink.example")).toBe(addresses.t1);
  await topology.gateway.run(...words("ip route add default via 198.51.100.1"));
  await topology.gateway.run(...words("nft flush ruleset"));
  await topology.counted();
  expect(await requestThrough("tcp", addresses.web)).toBe(addresses.t1);
  expect(await requestThrough("tcp", "no-rules.example")).toBe(addresses.t1);
  await topology.gateway.run(...words("ip link set t1 down"));
  expect(await requestThrough("tcp", "no-route.example")).not.toMatch(/\d+\./);
  expect((await topology.counted()).wan).toBe(0);
});

const words = (text: string) => text.split(" ") as [string, ...string[]];

test("nothing secret is in sight: neither in files nor in arguments", () => {
  const words = [login.password, listener.credentials!.password];
  expect(pathsContaining(words, folders.gateway.path)).toEqual([]);
  expect(pathsContaining(["/etc/socks-listener.json"], folders.gateway.path)).not.toEqual([]); // It would be seen.
});
