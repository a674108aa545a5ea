import { afterAll, beforeAll, expect, test } from "vitest";
import { userOf } from "../../daemon/src/engines/confinement/confinement.model.ts";
import type { SocksListener } from "../../daemon/src/engines/dante/dante.model.ts";
import type { Proxies } from "../../daemon/src/engines/nftables/proxies.model.ts";
import type { Redirector } from "../../daemon/src/engines/redsocks/redsocks.model.ts";
import { connections } from "../../daemon/src/engines/sockets/sockets.ts";
import { until } from "../../testing/deadline.ts";
import { carriersFolder, placesOf } from "../tunnel-engines.ts";
import { bring } from "../loader.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { openQuarter, places, proxyEgress, proxyEngines, type Quarter, t1Mark } from "../topology-proxies.ts";
import { converse } from "../flow.ts";

/*
 * A device sends everything to a redirector, which reaches its server by the way t1 and no other. Another device would
 * speak SOCKS5 itself, to a listener whose packets leave by t1 too. The gateway's own way would be wan0: nothing may ever
 * be seen there.
 */
let folders: { readonly gateway: ReturnType<typeof carriersFolder>; readonly proxy: ReturnType<typeof carriersFolder> };
let lab: Lab;
let quarter: Quarter;
let here: ReturnType<typeof proxyEngines>;
let there: ReturnType<typeof proxyEngines>;

/** The passwords are looked for in every process of the machine: another run of this file has others. */
const login = { username: "alice", password: `a "b\\c; } ${process.pid}` };
const redirector: Redirector = {
  name: "nl",
  port: 12_345,
  server: { address: places.proxy, port: 1080 },
  credentials: login,
};
const listener: SocksListener = {
  name: "kiosk",
  listen: { address: "10.0.0.1", port: 1080 },
  interface: "t1",
  credentials: { username: "bob", password: `s3cret pass ${process.pid}` },
  userId: userOf(1080),
  nameservers: [places.web],
};
const upstream: SocksListener = {
  name: "server",
  listen: { address: places.proxy, port: 1080 },
  interface: "eth0",
  credentials: login,
  userId: userOf(1),
};
const rules: Proxies = {
  lan: ["lan0"],
  redirectors: [{ ...redirector, egresses: [proxyEgress], mark: t1Mark, interface: "t1" }],
  listeners: [{ name: "kiosk", port: 1080, userId: listener.userId, mark: t1Mark, interface: "t1" }],
  names: null,
};

async function moveIn(): Promise<void> {
  folders = { gateway: carriersFolder(), proxy: carriersFolder() };
  lab = openLab();
  quarter = await openQuarter(lab);
  here = proxyEngines(quarter.gateway, folders.gateway.path);
  there = proxyEngines(quarter.proxy, folders.proxy.path);
  await quarter.steer(proxyEgress);
  await bring(here.proxies, rules);
  await bring(here.redsocks, [redirector]);
  await bring(here.dante, [listener]);
  await bring(there.dante, [upstream]);
  for (const [engines, port] of [
    [here, 12_345],
    [here, 1080],
    [there, 1080],
  ] as const)
    await listening(engines.system, port);
  await quarter.left();
}
async function moveOut(): Promise<void> {
  for (const { keeper } of [here, there]) keeper.close();
  for (const folder of Object.values(folders)) folder[Symbol.dispose]();
  await lab[Symbol.asyncDispose]();
}
beforeAll(moveIn);
afterAll(moveOut);

/** Programs say nothing when they are ready, so the kernel is asked. */
async function listening(system: (typeof here)["system"], port: number): Promise<void> {
  const door = new RegExp(`:${port.toString(16).toUpperCase().padStart(4, "0")} \\S+ 0A `);
  await until(`port ${port} is listened on`, async () => door.test(system.readText("/proc/net/tcp")!), 20);
}

/** What the web server sees of a new connection of the device. Who expects no answer does not wait long for it. */
const seen = (patienceSec = 20) => converse(quarter.device, "tcp", places.web, 80, patienceSec).ask();
const unanswered = () => seen(2);

/** The same through the listener. */
async function asked(kind: "tcp" | "udp", target: string, port = 80, { username, password } = listener.credentials!) {
  const words = ["10.0.0.1", "1080", username, password, kind, target, String(port)];
  return (await quarter.device.run("python3", "lab/socks5-client.py", ...words)).trim();
}

const knocks = (address: string, port: number) =>
  quarter.device.run("python3", "-c", `import socket; socket.create_connection(("${address}", ${port}), 5)`).then(
    () => true,
    () => false,
  );

test("what a device sends over TCP comes from the proxy, and reaches it by the way before it", async () => {
  expect(await seen()).toBe(places.proxy);
  const { wan, t1 } = await quarter.left();
  expect({ wan, isT1Used: t1 > 5 }).toEqual({ wan: 0, isT1Used: true });
  expect(await seen()).toBe(places.proxy);
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
  const sum = (place: 1 | 2) => lines.reduce((all, line) => all + Number(line[place]), 0);
  return { unread: sum(1), unconfirmed: sum(2) };
}

/** Asks, and has something happen before the answer is there. */
async function meanwhile(happens: () => Promise<unknown>) {
  const talk = converse(quarter.device, "tcp", places.web, 80);
  await until("the device is answered", async () => (await talk.ask()) === places.proxy, 20);
  const [server] = there.keeper.observe("dante").map(({ condition }) => condition as { processId: number });
  process.kill(-server!.processId, "SIGSTOP");
  const atServer = () => lyingAt(quarter.proxy, "sport = :1080");
  const atDevice = () => lyingAt(quarter.device, `dst ${places.web}`);
  const [{ unread }, { unconfirmed }] = [await atServer(), await atDevice()]; // Connections of before are among them.
  const answer = talk.ask();
  try {
    await until("the question lies at the server", async () => (await atServer()).unread > unread, 20);
    // Whoever is not sure to have been heard says it again, and is known again.
    await until("the device knows that it arrived", async () => (await atDevice()).unconfirmed <= unconfirmed, 20);
    await happens();
  } finally {
    process.kill(-server!.processId, "SIGCONT");
  }
  return { talk, answer: await answer };
}

test("what is said to a device goes home or nowhere, also when nobody knows the device's connection any more (T-always-12)", async () => {
  const forget = () => quarter.gateway.run("conntrack", "-D", "-s", "10.0.0.2", "-p", "tcp");
  await quarter.homeward();
  const { talk, answer } = await meanwhile(forget);
  expect([answer, await quarter.homeward()]).toEqual(["silence", 0]);
  // The next packet of the device creates the conntrack entry again.
  await until("the device is answered again", async () => (await talk.ask()) === places.proxy, 20);
  const given = "insert rule inet portcullis_proxies given meta mark set meta skuid map @user accept\n";
  await here.system.run("nft", ["-f", "-"], { stdin: given });
  const other = await meanwhile(forget);
  await until("it goes elsewhere", async () => (await quarter.homeward()) > 0, 20); // It would have been seen.
  await reload();
  await quarter.gateway.run("conntrack", "-D", "-d", "10.0.0.2", "-p", "tcp");
  await until("the device is answered again", async () => (await other.talk.ask()) === places.proxy, 20);
});

test("what cannot go through it goes nowhere", async () => {
  await quarter.left();
  expect(await converse(quarter.device, "udp", places.web, 80).ask()).not.toMatch(/\d/);
  expect((await quarter.left()).wan).toBe(0);
  await quarter.steer(1);
  expect(await converse(quarter.device, "udp", places.web, 80, 20).ask()).toBe(places.wan); // It would be seen.
  await quarter.steer(proxyEgress);
});

test("nobody reaches a redirector but by being sent there", async () => {
  expect(await knocks("10.0.0.1", 12_345)).toBe(false);
  await quarter.gateway.run("nft", "flush", "chain", "inet", "portcullis_proxies", "input");
  expect(await knocks("10.0.0.1", 12_345)).toBe(true);
  await reload();
  expect(await knocks("10.0.0.1", 12_345)).toBe(false);
});

/** Somebody changed the table, as far as an engine that knows nothing can tell. */
const reload = (wanted = rules) => bring(proxyEngines(quarter.gateway, folders.gateway.path).proxies, wanted);

test("without its server, or with a wrong password, there is no connection and nothing leaves elsewhere", async () => {
  await quarter.left();
  await bring(there.dante, [{ ...upstream, credentials: { ...login, password: "another" } }]);
  await listening(there.system, 1080);
  expect(await unanswered()).not.toMatch(/\d/);
  await bring(there.dante, []);
  expect(await unanswered()).not.toMatch(/\d/);
  await bring(there.dante, [{ ...upstream, credentials: null }]);
  await listening(there.system, 1080);
  await bring(here.redsocks, [{ ...redirector, credentials: null }]);
  await listening(here.system, 12_345);
  expect(await seen()).toBe(places.proxy); // It works without a password as well.
  await bring(there.dante, [upstream]);
  await bring(here.redsocks, [redirector]);
  await listening(there.system, 1080);
  await listening(here.system, 12_345);
  expect(await seen()).toBe(places.proxy);
  expect((await quarter.left()).wan).toBe(0);
});

test("a redirector that is killed comes back", async () => {
  const processOf = async () => (await quarter.gateway.processesOf(userOf(12_345)))[0] ?? "";
  const before = await processOf();
  await quarter.gateway.run("kill", "-9", before);
  const isAnother = async () => {
    await bring(here.redsocks, [redirector]); // As a reconciler would when the keeper tells.
    return !["", before].includes(await processOf());
  };
  await until("another process runs", isAnother, 20);
  await listening(here.system, 12_345);
  expect(here.redsocks.states([redirector])).toEqual([{ name: "nl", kind: "running", problem: "" }]);
  expect(await seen()).toBe(places.proxy);
});

test("a listener carries TCP, UDP and names by its own way, and knows its clients", async () => {
  await quarter.left();
  expect(await asked("tcp", places.web)).toBe(places.t1);
  expect(await asked("tcp", places.web6)).toBe(places.t16);
  expect(await asked("udp", places.web)).toBe(places.t1);
  expect(await asked("tcp", "web.example")).toBe(places.t1);
  expect(new Set(JSON.parse(await quarter.names.ask("who")) as string[])).toEqual(new Set([places.t1]));
  expect(await asked("tcp", places.web, 80, { username: "bob", password: "wrong" })).toBe("refused password");
  expect(await asked("tcp", places.web, 80, { username: "", password: "" })).toMatch(/^refused/);
  expect((await quarter.left()).wan).toBe(0);
  const counted = (await here.proxies.traffic(rules)).find(({ name }) => name === "kiosk")!;
  expect([counted.received.bytes > 200, counted.sent.bytes > 200]).toEqual([true, true]);
});

test("every process and every packet of a listener has its user", async () => {
  await systemProof();
  for (const kind of ["tcp", "udp"] as const) expect(await asked(kind, places.web)).toBe(places.t1);
  expect(await asked("tcp", "other.example")).toBe(places.t1);
  const text = await quarter.gateway.run("nft", "list", "table", "inet", "proof");
  const count = (name: string) => Number(new RegExp(`counter ${name} \\{\\s+packets (\\d+)`).exec(text)![1]);
  expect(count("by_listener")).toBeGreaterThan(10);
  expect(count("by_others")).toBe(0);
  const [{ processId }] = here.keeper.observe("dante").map(({ condition }) => condition as { processId: number }) as [
    { processId: number },
  ];
  const session = await quarter.gateway.run("ps", "-o", "uid=,comm=", "--sid", String(processId));
  const owners = session.split("\n").filter((line) => line.includes("danted"));
  expect(owners.length).toBeGreaterThan(3);
  expect(new Set(owners.map((line) => Number(line.trim().split(/\s+/)[0])))).toEqual(new Set([listener.userId]));
});

/** Whatever leaves by t1 is counted by who sent it. Packets that the kernel makes without a socket have nobody. */
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

test("a listener is no door to the gateway itself, nor into the LAN", async () => {
  const inside = quarter.gateway.start("python3", "lab/flow.py", "serve", "8099", "127.0.0.1", "10.0.0.1");
  await new Promise((resolve) => inside.stdout!.once("data", resolve));
  const own = await quarter.gateway.run(
    "python3",
    "-c",
    'import socket; socket.create_connection(("127.0.0.1", 8099), 1)',
  );
  expect(own).toBe(""); // It is there.
  for (const address of ["127.0.0.1", "10.0.0.1"]) expect(await asked("tcp", address, 8099)).not.toMatch(/\d+\./);
});

test("a way that is lost takes the listener and the redirector with it", async () => {
  await quarter.left();
  await quarter.gateway.run("ip", "link", "set", "t1", "down");
  expect([await unanswered(), await asked("tcp", places.web)].join()).not.toMatch(/\d+\./);
  expect((await quarter.left()).wan).toBe(0);
  await here.system.run("ip", ["-batch", "-"], {
    stdin: "link set t1 up\nroute replace default via 192.0.2.2 dev t1 table 7002\n",
  });
  await until("the listener carries again", async () => (await asked("tcp", places.web)) === places.t1, 20);
  expect(await seen()).toBe(places.proxy);
});

test("a program whose user nobody knows is mute, and what it had begun ends with it", async () => {
  const talk = converse(quarter.device, "tcp", places.web, 80);
  await until("the device is answered", async () => (await talk.ask()) === places.proxy, 20);
  await quarter.left();
  await reload({ ...rules, redirectors: [], listeners: [] });
  expect(await talk.ask()).toBe("silence");
  expect(await asked("tcp", places.web)).toBe("silence");
  // Sockets that their program has left behind have no user any more, and still something to say.
  await bring(here.redsocks, []);
  await bring(here.dante, []);
  expect((await quarter.left()).wan).toBe(0);
  await reload();
  await bring(here.redsocks, [redirector]);
  await bring(here.dante, [listener]);
  for (const port of [12_345, 1080]) await listening(here.system, port);
  expect([await seen(), await asked("tcp", places.web)]).toEqual([places.proxy, places.t1]);
});

test("what a program has left behind does not leave by the gateway's own way, also when nobody knows its connection any more", async () => {
  const talk = converse(quarter.device, "tcp", places.web, 80, 20);
  expect(await talk.ask()).toBe(places.proxy);
  await quarter.left();
  // As when the way is lost for a moment: with its interface goes what was known of connections by it.
  await quarter.gateway.run("conntrack", "-D", "-p", "tcp", "--dport", "1080");
  await reload({ ...rules, redirectors: [], listeners: [] });
  await bring(here.redsocks, []);
  await new Promise((resolve) => setTimeout(resolve, 2000)); // It says goodbye several times, and later each time.
  expect((await quarter.left()).wan).toBe(0);
  await quarter.gateway.run("nft", "flush", "chain", "inet", "portcullis_guard", "output");
  await until("it leaves by wan0", async () => (await quarter.left()).wan > 0, 20); // It would have been seen.
  await quarter.shut();
  await reload();
  await bring(here.redsocks, [redirector]);
  await listening(here.system, 12_345);
  expect(await seen()).toBe(places.proxy);
});

test("packets that were not marked do not leave by the gateway's own way", async () => {
  await quarter.left();
  await quarter.gateway.run("nft", "flush", "chain", "inet", "portcullis_proxies", "leave");
  expect(await unanswered()).not.toMatch(/\d/);
  await asked("tcp", places.web); // It still leaves with the address of its way, and so by its way.
  expect((await quarter.left()).wan).toBe(0);
  await quarter.gateway.run("nft", "flush", "chain", "inet", "portcullis_proxies", "wire");
  const leaves = async () => {
    await unanswered();
    return (await quarter.left()).wan > 0;
  };
  await until("it leaves by wan0", leaves, 20); // That is what it would be like.
  await reload();
});

test("in all this, nobody behind the way has seen another address of the gateway", async () => {
  expect(await quarter.strange()).toBe(0);
  await quarter.gateway.run("nft", "flush", "chain", "inet", "portcullis_nat", "postrouting");
  await quarter.gateway.run("nft", "flush", "chain", "inet", "portcullis_proxies", "sender");
  await quarter.gateway.run("nft", "flush", "chain", "inet", "portcullis_guard", "wire");
  const isStrange = async () => {
    await unanswered();
    return (await quarter.strange()) > 0;
  };
  await until("another address is seen", isStrange, 20); // It would have been seen.
});

test("routes that know a user hold it to its way even when all rules are gone, and when the gateway has no way at all", async () => {
  // Anew: controls have let connections out by wan0, and what is left of them would be taken for what is looked for here.
  await moveOut();
  await moveIn();
  for (const port of [1080, 12_345])
    await quarter.gateway.run(
      ...words(`ip rule add priority 7950 uidrange ${userOf(port)}-${userOf(port)} lookup 7002`),
    );
  await quarter.gateway.run(...words("ip route del default"));
  expect(await asked("tcp", "no-uplink.example")).toBe(places.t1);
  await quarter.gateway.run(...words("ip route add default via 198.51.100.1"));
  await quarter.gateway.run(...words("nft flush ruleset"));
  await quarter.left();
  expect(await asked("tcp", places.web)).toBe(places.t1);
  expect(await asked("tcp", "no-rules.example")).toBe(places.t1);
  await quarter.gateway.run(...words("ip link set t1 down"));
  expect(await asked("tcp", "no-way.example")).not.toMatch(/\d+\./);
  expect((await quarter.left()).wan).toBe(0);
});

const words = (text: string) => text.split(" ") as [string, ...string[]];

test("nothing secret is in sight: neither in files nor in arguments", () => {
  const words = [login.password, listener.credentials!.password];
  expect(placesOf(words, folders.gateway.path)).toEqual([]);
  expect(placesOf(["/etc/danted.conf"], folders.gateway.path)).not.toEqual([]); // It would be seen.
});
