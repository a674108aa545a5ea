import { execFileSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { userOf } from "../../daemon/src/engines/sandbox/sandbox.model.ts";
import type { Upstream } from "../../daemon/src/engines/dnsdist/dnsdist.model.ts";
import { dnsProxyEngine } from "../../daemon/src/engines/dns-proxy/dns-proxy.engine.ts";
import { type DnsProxy, dnsProxyAddresses } from "../../daemon/src/engines/dns-proxy/dns-proxy.model.ts";
import { supervisor, type Supervisor } from "../../daemon/src/engines/supervisor/supervisor.ts";
import { expectWithin, until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { enginesFolder } from "../tunnel-engines.ts";
import { query } from "../dns.ts";
import { bring } from "../loader.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { systemOn } from "../system.ts";

/* A forwarder on the gateway; outside, a dnsdist that answers over TCP, TLS and HTTPS, and servers with a single group. */
const folder = enginesFolder();
const there = "192.0.2.2";
const port = 18_021;
let lab: Lab;
let gateway: Host;
let outside: Host;
let children: Supervisor;
let engine: ReturnType<typeof dnsProxyEngine>;
let server: ChildProcess;
let upstreamsInUse: readonly Upstream[] = [];

const upstream = (protocol: Upstream["protocol"], more: Partial<Upstream> = {}): Upstream => ({
  name: `${protocol} ${JSON.stringify(more)}`,
  address: there,
  port: { plain: 53, dot: 853, doh: 443 }[protocol],
  protocol,
  serverName: "dns.example",
  path: "/dns-query",
  source: null,
  pqMode: "default",
  usesDnsProxy: true,
  ...more,
});
const forwarder = (...upstreams: readonly Upstream[]): DnsProxy => {
  upstreamsInUse = upstreams;
  return whole(upstreams);
};
const whole = (upstreams: readonly Upstream[]): DnsProxy => ({
  number: 2,
  userId: userOf(18_016),
  port,
  caFile: `${folder.path}/ca.pem`,
  upstreams,
});

beforeAll(async () => {
  lab = openLab();
  gateway = await lab.host("gw");
  outside = await lab.host("out");
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["192.0.2.1/24"] },
    { host: outside, device: "eth0", addresses: [`${there}/24`] },
  );
  makeCertificates();
  server = await startServer();
  const system = systemOn(gateway);
  children = supervisor({
    system,
    folder: `${folder.path}/children`,
    nowMs: () => performance.now(),
    onExit: () => {},
  });
  const program = { folder: resolve("daemon/src/dns-proxy"), file: "main.ts" };
  engine = dnsProxyEngine({ system, supervisor: children, node: process.execPath, program });
});
afterAll(async () => {
  children.close();
  folder[Symbol.dispose]();
  await lab[Symbol.asyncDispose]();
});

/** Two issuers; the first one's server is called dns.example and 192.0.2.2. */
function makeCertificates(): void {
  const openssl = (line: string) => execFileSync("openssl", line.split(" "), { cwd: folder.path, stdio: "pipe" });
  const fresh = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
  writeFileSync(`${folder.path}/names`, `subjectAltName=DNS:dns.example,IP:${there}\n`);
  for (const name of ["ca", "unknown"])
    openssl(`req -x509 ${fresh} -subj /CN=${name} -keyout ${name}.key -out ${name}.pem`);
  openssl(`req ${fresh} -subj /CN=server -keyout server.key -out server.csr`);
  openssl("x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -days 2 -out server.pem");
}

async function startServer(): Promise<ChildProcess> {
  const file = `${folder.path}/dnsdist.conf`;
  const pair = `"${folder.path}/server.pem", "${folder.path}/server.key"`;
  const long = `\\255${"x".repeat(255)}`.repeat(6);
  writeFileSync(
    file,
    `setLocal("${there}:53")
addTLSLocal("${there}:853", ${pair})
addDOHLocal("${there}:443", ${pair}, "/dns-query")
setACL("0.0.0.0/0")
setTCPRecvTimeout(60) -- The default of two seconds is shorter than a slow machine needs between two queries.
setSecurityPollSuffix("")
addAction(QNameRule("long.example."), SpoofRawAction("${long}"))
addAction(AllRule(), SpoofAction({"192.0.2.77"}))
`,
  );
  const started = outside.start("dnsdist", "--supervised", "--disable-syslog", "-C", file);
  started.stdout!.resume();
  started.stderr!.resume();
  await until("the upstream listens", async () => (await outside.run("ss", "-Hltn")).includes(":443"), 10);
  return started;
}

async function stop(process: ChildProcess): Promise<void> {
  const ended = once(process, "exit");
  process.kill("SIGKILL");
  await ended;
}

const queryProxy = (index: number, name = "a.example", ...words: string[]) => {
  const place = { address: addressOf(index), port };
  return query(gateway, place, name, name.startsWith("long") ? "TXT" : "A", "+timeout=60", ...words);
};
const addressOf = (index: number) => dnsProxyAddresses(upstreamsInUse).get(upstreamsInUse[index]!.name)!;
const connections = async (to: number) =>
  (await gateway.run("ss", "-Htn", "state", "established", "dst", `${there}:${to}`)).split("\n").length - 1;
const programOutput = () =>
  children
    .observe("dns-proxy")
    .map(({ name }) => children.output(name))
    .join("");

/** While both are there, either answers a query. */
async function want(...wanted: readonly DnsProxy[]): Promise<void> {
  await bring(engine, wanted);
  await bring(engine.former, wanted);
}

test("over TCP, TLS and HTTPS, by name and by address, and always over the same connection", async () => {
  const all = [upstream("plain"), upstream("dot"), upstream("doh"), upstream("dot", { serverName: null })];
  await want(forwarder(...all, upstream("doh", { serverName: null })));
  for (let round = 0; round < 10; round += 1)
    for (let index = 0; index < 5; index += 1)
      expect(await queryProxy(index)).toMatchObject({ status: "NOERROR", records: ["60 A 192.0.2.77"] });
  expect(await Promise.all([53, 853, 443].map(connections))).toEqual([1, 2, 2]);
  console.log(programOutput().trim());
  expect(await queryProxy(1, "a.example", "+tcp")).toMatchObject({ status: "NOERROR" });
});

test("DNS proxy: an answer that is too long for a datagram is requested over TCP", async () => {
  for (const index of [0, 1, 2]) {
    const [text = ""] = (await queryProxy(index, "long.example")).records;
    expect(text.length).toBeGreaterThan(1500);
    expect((await queryProxy(index, "long.example", "+ignore")).records).toEqual([]);
  }
});

test("DNS proxy: many concurrent queries each get their own answer", async () => {
  const names = Array.from({ length: 300 }, (_, index) => `n${index}.example A`).join("\n");
  writeFileSync(`${folder.path}/names.txt`, `${names}\n`);
  for (const index of [0, 1, 2]) {
    const words = [
      "-s",
      addressOf(index),
      "-p",
      String(port),
      "-d",
      `${folder.path}/names.txt`,
      "-n",
      "20",
      "-t",
      "60",
    ];
    const report = await gateway.run("dnsperf", ...words, "-q", "200");
    const [, completed, lost] = /Queries completed:\s+(\d+)[\s\S]*Queries lost:\s+(\d+)/.exec(report)!;
    console.log(/Queries per second.*/.exec(report)![0], /Average Latency.*/.exec(report)![0]);
    recordFigure({
      name: `answers of the forwarder by ${["plain DNS", "DoT", "DoH"][index]}`,
      value: Number(/Queries per second:\s+([\d.]+)/.exec(report)![1]),
      unit: "1/s",
    });
    expect([completed, lost]).toEqual(["6000", "0"]);
    expect(report).toMatch(/NOERROR 6000/);
  }
});

test("it is confined, and its packets are its front's", async () => {
  const owners = await gateway.processesOf(userOf(18_016));
  const status = readFileSync(`/proc/${owners.at(-1)!}/status`, "utf8");
  expect(status).toMatch(/CapBnd:\t0+\n/);
  expect(readFileSync(`/proc/${owners.at(-1)!}/cmdline`, "utf8")).toContain("/dns-proxy/main.ts");
});

test("DNS proxy: a server that closed the connection is connected again, and the query is not lost", async () => {
  await stop(server);
  server = await startServer();
  for (const index of [0, 1, 2, 3, 4]) {
    const { status, ms } = await queryProxy(index);
    expect(status).toBe("NOERROR");
    expectWithin(2, { [`the answer of upstream ${index + 1}`]: ms / 1000 });
  }
});

test("DNS proxy: a path that drops everything costs a few seconds, then the answer is SERVFAIL", async () => {
  await gateway.run("nft", "add", "table", "inet", "hole");
  await gateway.run("nft", "add", "chain", "inet", "hole", "out", "{ type filter hook output priority 0; }");
  await gateway.run("nft", "add", "rule", "inet", "hole", "out", "ip", "daddr", there, "drop");
  const answers = await Promise.all([0, 1, 2].map((index) => queryProxy(index)));
  expect(answers.map(({ status }) => status)).toEqual(["SERVFAIL", "SERVFAIL", "SERVFAIL"]);
  expectWithin(5, { "the slowest refusal": Math.max(...answers.map(({ ms }) => ms)) / 1000 });
  await gateway.run("nft", "delete", "table", "inet", "hole");
  for (const index of [0, 1, 2]) expect((await queryProxy(index)).status).toBe("NOERROR");
});

test("DNS proxy: a successor listens on the same ports before its predecessor ends", async () => {
  const [first, ...others] = upstreamsInUse;
  const before = children.observe("dns-proxy").map(({ name }) => name);
  const both = [forwarder(first!, upstream("dot", { port: 854 }))];
  await bring(engine, both);
  expect(children.observe("dns-proxy")).toHaveLength(before.length + 1);
  for (let round = 0; round < 20; round += 1) expect((await queryProxy(0)).status).toBe("NOERROR");
  await bring(engine.former, both);
  expect(children.observe("dns-proxy").map(({ name }) => name)).not.toContain(before[0]);
  for (let round = 0; round < 20; round += 1) expect((await queryProxy(0)).status).toBe("NOERROR");
  await want(forwarder(first!, ...others));
});

test("DNS proxy: a server without a valid certificate of a trusted issuer gets no query", async () => {
  const wrong = [upstream("dot", { serverName: "other.example" }), upstream("doh", { serverName: "other.example" })];
  await outside.run("ip", "address", "add", "192.0.2.3/24", "dev", "eth0");
  await outside.run("nft", "add", "table", "ip", "twin");
  await outside.run("nft", "add", "chain", "ip", "twin", "in", "{ type nat hook prerouting priority dstnat; }");
  await outside.run("nft", "add", "rule", "ip", "twin", "in", "ip", "daddr", "192.0.2.3", "dnat", "to", there);
  const elsewhere = upstream("dot", { address: "192.0.2.3", serverName: null });
  const reached = upstream("dot", { address: "192.0.2.3" });
  await want(forwarder(...wrong, elsewhere, upstream("dot"), reached));
  const statuses = await Promise.all([0, 1, 2, 3, 4].map(async (index) => (await queryProxy(index)).status));
  expect(statuses).toEqual(["SERVFAIL", "SERVFAIL", "SERVFAIL", "NOERROR", "NOERROR"]);
  expect(programOutput()).toMatch(/other\.example/);

  await want({ ...forwarder(upstream("dot"), upstream("doh")), caFile: `${folder.path}/unknown.pem` });
  expect((await queryProxy(0)).status).toBe("SERVFAIL");
  expect((await queryProxy(1)).status).toBe("SERVFAIL");
});

test("keys are agreed upon by X25519MLKEM768 where the server can, else by X25519, unless post-quantum key exchange is required", async () => {
  const groups = ["X25519MLKEM768", "X25519", "MLKEM768", "X25519MLKEM768:X25519"];
  const pair = [`${folder.path}/server.pem`, `${folder.path}/server.key`];
  for (const [index, group] of groups.entries()) {
    const started = outside.start(
      process.execPath,
      resolve("lab/dot-driver.ts"),
      String(9000 + index),
      there,
      group,
      ...pair,
    );
    await once(started.stdout!, "data");
  }
  await want(forwarder(...groups.map((_, index) => upstream("dot", { port: 9000 + index }))));
  const statuses = await Promise.all([0, 1, 2].map(async (index) => (await queryProxy(index)).status));
  // Pure ML-KEM is no hybrid.
  expect(statuses).toEqual(["NOERROR", "NOERROR", "SERVFAIL"]);
  expect(programOutput()).toContain("connected with TLSv1.3, X25519\n");

  const file = `${folder.path}/hello.pcap`;
  const capture = outside.start("tcpdump", "-i", "eth0", "-U", "-w", file, "port", "9003");
  await once(capture.stderr!, "data");
  expect((await queryProxy(3)).status).toBe("NOERROR");
  // In the server's hello: a key share of 1124 bytes, of group 4588, with a key of 1120 bytes.
  await until(
    "the server's hello is captured",
    async () => readFileSync(file).includes(Buffer.from("0033046411ec0460", "hex")),
    5,
  );

  const strict = forwarder(...groups.map((_, index) => upstream("dot", { port: 9000 + index, pqMode: "required" })));
  await want(strict);
  const strictly = await Promise.all([0, 1, 3].map(async (index) => (await queryProxy(index)).status));
  expect(strictly).toEqual(["NOERROR", "SERVFAIL", "NOERROR"]);
  expect(programOutput()).not.toContain("X25519\n");
  const [failed, ...others] = engine.failures(strict).entries();
  expect(others).toEqual([]);
  expect(failed).toEqual([upstreamsInUse[1]!.name, expect.stringContaining('pq_crypto_mode "required"')]);
});
