import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { userOf } from "../../daemon/src/engines/sandbox/sandbox.model.ts";
import { supervisor, type Supervisor } from "../../daemon/src/engines/supervisor/supervisor.ts";
import { clockProbe } from "../../daemon/src/engines/unbound/clock.ts";
import { unboundEngine } from "../../daemon/src/engines/unbound/unbound.engine.ts";
import type { Validator } from "../../daemon/src/engines/unbound/unbound.model.ts";
import type { System } from "../../daemon/src/system/system.ts";
import { enginesFolder } from "../tunnel-engines.ts";
import { query, datagramRequest, signedRoot, type SignedRoot, soon } from "../dns.ts";
import { bring } from "../loader.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { systemOn } from "../system.ts";
import { stolenSec } from "../../testing/clock.ts";
import { expectWithin, until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";

/*
 * Unbound sends its queries to the back port, where the lab has what the test needs: a DNS server with its own root, a
 * dnsdist without any upstream, or no server.
 */
const folder = enginesFolder();
let lab: Lab;
let host: Host;
let system: System;
let children: Supervisor;
let engine: ReturnType<typeof unboundEngine>;
let root: SignedRoot;
let server: ChildProcess;
let validator: Validator;

const zone = `. 1 IN SOA ns. hostmaster. 1 3600 600 86400 1
. 1 IN NS ns.
ns. 1 IN A 127.0.0.1
good. 1 IN A 192.0.2.1
lasting. 300 IN A 192.0.2.2
forged. 1 IN A 192.0.2.3
5.1.168.192.in-addr.arpa. 300 IN PTR printer.home.lan.
a.home.lan. 300 IN A 192.0.2.4
`;

beforeAll(async () => {
  lab = openLab();
  host = await lab.host("dns");
  system = systemOn(host);
  root = signedRoot(folder.path, zone);
  root.sign(-5, 20);
  server = await startServer();
  children = supervisor({
    system,
    folder: `${folder.path}/children`,
    nowMs: () => performance.now(),
    onExit: () => {},
  });
  engine = unboundEngine({ system, supervisor: children, folder: `${folder.path}/unbound` });
  validator = {
    number: 3,
    userId: userOf(18_028),
    port: 18_028,
    frontendPort: 18_026,
    isValidating: true,
    anchors: [root.anchor],
    insecure: [],
    ignoresDates: false,
  };
  await bring(engine, [validator]);
  await answering();
});
afterAll(async () => {
  children.close();
  folder[Symbol.dispose]();
  await lab[Symbol.asyncDispose]();
});

async function startServer(port = 18_026): Promise<ChildProcess> {
  const file = `${folder.path}/server.conf`;
  const settings = [`ip-address: 127.0.0.1@${port}`, 'username: ""', 'chroot: ""', 'pidfile: ""', 'database: ""'];
  const own = ["xfrdfile", "zonelistfile"].map((name) => `${name}: "${folder.path}/${name}"`);
  writeFileSync(
    file,
    `server:\n${[...settings, ...own].map((it) => `  ${it}\n`).join("")}zone:\n  name: "."\n  zonefile: "${root.file}"\n`,
  );
  // Children of the one before may hold its port a moment longer than that lives, and this one would end.
  const isFree = async () => (await host.run("ss", "-Hlntu", `sport = :${port}`)) === "";
  await until(`port ${port} is free`, isFree, 5);
  const started = host.start("nsd", "-d", "-c", file);
  await until(
    "the upstream answers",
    async () => (await query(host, port, "good.", "A", soon)).status === "NOERROR",
    10,
  );
  return started;
}

async function stop(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null) return;
  const ended = once(process, "exit");
  process.kill("SIGTERM");
  await ended;
}

const name = (of: string, ...words: string[]) => query(host, validator.port, of, "A", ...words);
const answering = () => until("names are answered", async () => (await name("good.", soon)).status === "NOERROR", 10);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Its TTL is a second: a repeated query within that time gets less. */
const goodRecord = expect.stringMatching(/^[01] A 192\.0\.2\.1$/) as unknown;

test("Unbound: signed answers are authentic, forged ones are SERVFAIL with the reason", async () => {
  expect(await name("good.")).toMatchObject({ status: "NOERROR", isAuthentic: true, records: [goodRecord] });
  const forged = await name("forged.");
  expect(forged).toMatchObject({ status: "SERVFAIL", records: [] });
  expect(forged.reasons.join()).toMatch(/^6|DNSSEC/);
  expect((await name("forged.", "+cdflag")).records.join()).toContain("A 192.0.2.66"); // It is there.
});

test("it is confined: its own user, no privileges, nothing of ours in sight", async () => {
  const [owner] = await host.processesOf(validator.userId);
  const status = readFileSync(`/proc/${owner}/status`, "utf8");
  expect(status).toMatch(/CapEff:\t0+\n/);
  expect(status).toMatch(/CapBnd:\t0+\n/);
  expect(system.list(`/proc/${owner}/root/etc`)).toEqual(["unbound"]);
});

test("Unbound: a private domain is trusted from the next query on, and no longer once it is removed", async () => {
  expect((await name("forged.")).status).toBe("SERVFAIL");
  const [before] = children.observe("unbound");
  await bring(engine, [{ ...validator, insecure: ["forged", "1.168.192.in-addr.arpa"] }]);
  expect(await name("forged.")).toMatchObject({ status: "NOERROR", isAuthentic: false });
  const pointer = () => query(host, validator.port, "5.1.168.192.in-addr.arpa.", "PTR");
  expect((await pointer()).records).toEqual(["300 PTR printer.home.lan."]);
  await bring(engine, [validator]);
  expect((await name("forged.")).status).toBe("SERVFAIL");
  expect((await pointer()).records).toEqual([]);
  expect(children.observe("unbound")).toEqual([before]); // The same process.
});

test("Unbound: foreign changes of the running server are found and undone", async () => {
  const socket = `${folder.path}/unbound/3/control`;
  const output = await host.run(
    "python3",
    "-c",
    "import socket,sys\ns=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(b'UBCT1 insecure_add evil\\n'); print(s.recv(99))",
    socket,
  );
  expect(output).toContain("ok");
  const changes = engine.changes([validator], await engine.observe());
  expect(engine.drift(changes, await engine.observe())).toEqual([
    { resource: "unbound.3", field: "insecure evil.", expected: null, actual: "insecure" },
  ]);
  await engine.apply(changes);
  expect(engine.changes([validator], await engine.observe())).toEqual([]);
});

test("Unbound: with a wrong clock it resolves without dates, and validates them again once the clock is trusted", async () => {
  const kernel = { isSynchronised: false };
  const wrongClock: System = {
    ...system,
    list: () => [],
    run: async (command, args, options) =>
      command === "perl" ? (kernel.isSynchronised ? "0" : "5") : system.run(command, args, options),
  };
  const probe = clockProbe({
    system: wrongClock,
    ports: () => [validator.frontendPort],
    nowMs: Date.now,
    query: datagramRequest(host),
  });
  // A domain is forgotten but for what was too old already, and newer versions say that rather than what has wrong dates.
  const forget = async () => {
    await engine.flush({ kind: "all" });
    await engine.flush({ kind: "name", name: "good" });
  };
  const changeDates = async (fromDays: number, untilDays: number) => {
    root.sign(fromDays, untilDays);
    await stop(server);
    server = await startServer();
    await forget();
  };
  expect(await probe(false)).toBe(false); // As long as the dates agree.

  await changeDates(-60, -30);
  expect((await name("good.")).status).toBe("SERVFAIL");
  const began = performance.now();
  const isIgnoring = await probe(false);
  expect(isIgnoring).toBe(true);
  await bring(engine, [{ ...validator, ignoresDates: isIgnoring }]);
  expect(await name("good.")).toMatchObject({ status: "NOERROR", isAuthentic: true });
  const tookMs = performance.now() - began;
  console.log(`A wrong clock was found and got around in ${Math.round(tookMs)} ms`);
  recordFigure({ name: "time until a wrong clock no longer stops names", value: tookMs / 1000, unit: "s" });
  expect((await name("forged.")).status).toBe("SERVFAIL"); // Only dates are ignored.

  kernel.isSynchronised = true;
  await bring(engine, [{ ...validator, ignoresDates: await probe(true) }]);
  await forget();
  expect((await name("good.")).status).toBe("SERVFAIL");
  await changeDates(-5, 20);
  await answering();
});

test("Unbound: known names are answered within 100 ms once the frontend knows that all upstreams are dead, and are fresh again afterwards", {
  tags: "proof",
}, async () => {
  await stop(server);
  server = await startServer(18_027);
  const front = await startFront();
  await engine.flush({ kind: "all" });
  await answering();
  await pause(2500); // Until its TTL is over: time is what this is about.
  await drop("add", "table", "inet", "hole");
  await drop("add", "chain", "inet", "hole", "out", "{ type filter hook output priority 0; }");
  await drop("add", "rule", "inet", "hole", "out", "udp", "dport", "18027", "drop");
  const waiting: Awaited<ReturnType<typeof name>>[] = [];
  const isKnown = async () => {
    waiting.push(await name("good."));
    return (await query(host, 18_026, "unknown.", "A", soon)).status === "SERVFAIL";
  };
  await until("the front knows that its server is silent", isKnown, 8);
  const answers = [];
  for (let round = 0; round < 20; round += 1) {
    const stolen = stolenSec();
    const it = await name("good.");
    answers.push({ ...it, ms: it.ms - 1000 * (stolenSec() - stolen) });
    await pause(100);
  }
  const times = (of: readonly { readonly ms: number }[]) => of.map(({ ms }) => Math.round(ms)).join(", ");
  console.log(`Stale answers took ${times(waiting)} ms before, and ${times(answers)} ms after it was known`);
  // For 30 seconds, or as newer versions have it, for as long as it was good for if that is less.
  const output = new Set([...waiting, ...answers].map(({ status, records }) => `${status} ${records.join()}`));
  expect([...output]).toEqual([expect.stringMatching(/^NOERROR (?:30|1) A 192\.0\.2\.1$/)]);
  expect(answers.flatMap(({ reasons }) => reasons).join()).toMatch(/3|Stale/);
  expectWithin(0.1, { "the slowest stale answer": Math.max(...answers.map(({ ms }) => ms)) / 1000 });
  expect((await name("unknown.")).status).toBe("SERVFAIL"); // What was never known is not made up.
  await drop("delete", "table", "inet", "hole");
  const freshSec = await until(
    "names are fresh again",
    async () => {
      const { records, reasons } = await name("good.", soon);
      return records[0] === "1 A 192.0.2.1" && reasons.length === 0;
    },
    20,
  );
  console.log(`Fresh again after ${freshSec.toFixed(2)} s`);
  recordFigure({ name: "time until stale names are fresh again", value: freshSec, unit: "s" });
  await stop(front);
  await stop(server);
  server = await startServer();
  await answering();
});

const drop = (...words: string[]) => host.run("nft", ...words);

test("one that could not have the root's keys holds all names for false, and finds them when it looks again", async () => {
  const keyQuery = "udp dport 18026 @th,160,24 0x000030"; // The root, and the type that keys have.
  await bring(engine, []);
  await drop("add", "table", "inet", "hole");
  await drop("add", "chain", "inet", "hole", "out", "{ type filter hook output priority 0; }");
  await drop("add", "rule", "inet", "hole", "out", ...keyQuery.split(" "), "reject");
  await bring(engine, [validator]);
  await until(
    "the missing DNSKEY is reported",
    async () => (await name("good.", soon)).reasons.join().includes("DNSKEY"),
    20,
  );
  await drop("delete", "table", "inet", "hole");
  await pause(2000);
  expect((await name("good.")).status).toBe("SERVFAIL"); // It does not come to look by itself.
  await engine.flushBogus();
  expect(await name("good.")).toMatchObject({ status: "NOERROR", isAuthentic: true });
  expect((await name("forged.")).status).toBe("SERVFAIL"); // Nothing is believed that was not before.
});

/** It queries the server, and checks every second whether it is there. */
async function startFront(): Promise<ChildProcess> {
  const file = `${folder.path}/dnsdist.conf`;
  writeFileSync(
    file,
    `setLocal("127.0.0.1:18026")
setServFailWhenNoServer(true)
setSecurityPollSuffix("")
newServer({address="127.0.0.1:18027", checkName="good.", checkInterval=1, maxCheckFailures=2, mustResolve=true})
`,
  );
  const started = host.start("dnsdist", "--supervised", "--disable-syslog", "-C", file);
  await until(
    "the upstream answers",
    async () => (await query(host, 18_026, "good.", "A", soon)).status === "NOERROR",
    10,
  );
  return started;
}

test("it forgets a name, a domain or everything", async () => {
  const ttl = async () => Number((await name("lasting.")).records[0]!.split(" ")[0]);
  for (const what of [
    { kind: "all" },
    { kind: "name", name: "lasting" },
    { kind: "suffix", name: "lasting" },
  ] as const) {
    await ttl();
    await pause(1100); // So that it differs from a new answer.
    expect(await ttl()).toBeLessThan(300);
    await engine.flush(what);
    expect(await ttl()).toBe(300);
  }
});

test("Unbound: flushed entries are not served stale when no upstream answers", { tags: "proof" }, async () => {
  const gone: string[] = [];
  for (const what of [
    { kind: "all" },
    { kind: "name", name: "lasting" },
    { kind: "suffix", name: "lasting" },
  ] as const) {
    await name("lasting.");
    await stop(server);
    expect((await name("lasting.")).records).toHaveLength(1); // It is remembered until then.
    await engine.flush(what);
    gone.push((await name("lasting.")).records.join());
    server = await startServer();
    await until("the name is answered", async () => (await name("lasting.", soon)).records.length > 0, 10);
  }
  expect(gone).toEqual(["", "", ""]);
});

test("one that cannot run hinders none, and one that is killed comes back with what it had learned", async () => {
  const wanted = [
    { ...validator, insecure: ["forged"] },
    { ...validator, number: 4, port: 18_036, userId: userOf(18_036), anchors: [] },
    { ...validator, number: 5, port: validator.frontendPort, userId: userOf(18_044) }, // Its port is taken.
  ];
  await bring(engine, wanted);
  expect((await name("forged.")).status).toBe("NOERROR");
  const [owner] = await host.processesOf(validator.userId);
  await host.run("kill", "-9", owner!);
  await until(
    "the change is in force",
    async () => {
      await bring(engine, wanted).catch(() => {}); // As a reconciler would, again and again.
      return (await name("forged.", soon)).status === "NOERROR";
    },
    20,
  );
  let states = engine.states(wanted);
  // Each time it is tried again it runs for a moment.
  await until("the port in use is reported", async () => (states = engine.states(wanted))[2]!.kind === "broken", 10);
  expect(states.map(({ kind }) => kind)).toEqual(["running", "broken", "broken"]);
  expect(JSON.stringify(states[2]!.problem)).toMatch(/address already in use/i);
  await bring(engine, [validator]);
});
