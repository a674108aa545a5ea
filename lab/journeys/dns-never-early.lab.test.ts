import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { monotonicSec } from "../../testing/clock.ts";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import type { DnsLoadReport } from "../dns-load.ts";
import { type HopServer, hopOf } from "../topology-hops.ts";
import { type Sighting, uplinkAddress } from "../internet.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { startJsonScript } from "../json-script.ts";
import { type Client, figures, gatewayAddress, openDnsTopology, type DnsTopology } from "../topology-dns.ts";

/*
 * Everything below many.lab uses a tunnel, for all clients; all else uses the uplink. Each name has its own addresses,
 * which are called as soon as they are answered. `DNS_EARLY=10000` is the full size.
 */
const many = Number(process.env["DNS_EARLY"] ?? 2000);
const rate = 1000;

let lab: Lab;
let it: DnsTopology;
let tunnel: HopServer;
let other: HopServer;
let client: Client;
let policyId: string;

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab, { many });
  tunnel = await it.topology.wireguard("a", true, true);
  other = await it.topology.wireguard("b", true, true);
  client = await it.client("d1", "direct", { priority: 100 });
  await it.topology.apply();
  await until("a name is answered", async () => (await client.query("first.d1.fresh.lab"))?.status === "NOERROR", 20);
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const first = (numbered: number) => ({ names: ["n*.many.lab"], numbered });
const some = first(100);
const isCall = ({ to }: Sighting) => /^(45\.64\.|2600:64:)/.test(to);
const port = 9;

async function domainPolicy(domain: string, by: HopServer, priority: number): Promise<string> {
  const { id } = (await it.topology.api.ok("POST", "/routing/policies", {
    name: `by name ${domain}`,
    source_type: "domain",
    source_value: domain,
    priority,
    hops: [hopOf(by)],
    fail_policy: "fail-closed",
  })) as { id: string };
  return id;
}

/**
 * Calls since the previous report: on the uplinks, and addresses called through each tunnel. Waits for this many
 * expected addresses.
 */
async function called(expected = 0) {
  const { net } = it.topology;
  const [outside, behind]: [Sighting[], Sighting[]] = [[], []];
  const reached = () => new Set(behind.filter(({ protocol }) => isUdp(protocol)).map(({ to }) => to)).size;
  // Until no more arrive: calls in flight through a tunnel count as well. Blocked calls never arrive.
  let lastNews = monotonicSec();
  for (let more = true; more || (reached() < expected && monotonicSec() < lastNews + patienceSec); ) {
    await wait(200);
    const before = behind.length;
    outside.push(...(await Promise.all(net.providers.map((host) => net.seen(host)))).flat().filter(isCall));
    behind.push(...(await net.seen(net.core)).filter(isCall));
    more = behind.length > before;
    if (more) lastNews = monotonicSec();
  }
  const addressesBy = ({ site }: HopServer, holds: (seen: Sighting) => boolean) =>
    new Set(behind.filter((seen) => [site.v4, site.v6].includes(seen.from) && holds(seen)).map(({ to }) => to)).size;
  return {
    // The first ones tell enough.
    outside: outside.slice(0, 5),
    udp: addressesBy(tunnel, ({ protocol }) => isUdp(protocol)),
    tcp: addressesBy(tunnel, ({ protocol }) => !isUdp(protocol)),
    byOther: addressesBy(other, () => true),
  };
}
const isUdp = (protocol: string) => protocol === "udp" || protocol === "17";
/** A tunnel process on a busy machine may pause. */
const patienceSec = 3;

/** Queries these names, calls each answer at once, and reports through which egresses the calls left. */
async function calls(options: readonly string[] | ReturnType<typeof first>, ...types: string[]) {
  const { names, numbered } = "numbered" in options ? options : { names: options, numbered: 1 };
  await called();
  const load = await client.startLoad({
    rate,
    count: numbered * names.length * types.length,
    names,
    numbered,
    types,
    follow: { port, tcpEach: 9 },
  });
  const loadReport = await load.finish();
  return { loadReport, ...(await called(loadReport.followed)) };
}

/** Calls addresses of many.lab that were answered before, without a query. */
async function callAgain(count: number): Promise<void> {
  const script = `for i in $(seq 0 ${count - 1}); do echo again > /dev/udp/45.64.0.$i/${port}; done`;
  await client.device.run("bash", "-c", script);
}

function placeOf(address: string): number {
  const [, , high, low] = address.split(".").map(Number);
  return 256 * high! + low!;
}

const nft = (...words: string[]) => it.topology.net.gateway.run("nft", ...words);
async function flush(): Promise<void> {
  for (const map of ["domain4", "domain6"]) await nft("flush", "map", "inet", "portcullis", map);
}

function tell(
  what: string,
  loadReport: DnsLoadReport,
  { udp, tcp, outside }: Awaited<ReturnType<typeof called>>,
): void {
  console.log(
    `never early: ${what}: ${figures(loadReport)}; ${loadReport.followed} calls, by the tunnel ${udp} UDP, ${tcp} TCP`,
  );
  const when = `when names of a domain policy are ${what}`;
  recordFigure({ name: `calls to addresses answered, ${when}`, value: loadReport.followed, unit: "packets" });
  recordFigure({
    name: `addresses called outside the tunnel, ${when}`,
    value: outside.length,
    unit: "addresses",
    most: 0,
  });
}

test("names of the first domain policy are not answered by a resolver that cannot write to the kernel", async () => {
  const others = await client.startLoad({ rate: 200, fresh: client.domain });
  // Each name is queried once, in the order of its address.
  const load = await client.startLoad({ rate: 400, count: Math.min(many, 2000), ...first(many), follow: { port } });
  await until("addresses are called", async () => (await load.report()).followed > 0, 10);
  policyId = await domainPolicy("many.lab", tunnel, 10);
  await it.topology.apply();
  const before = (await load.report()).sent;
  const { rcodes } = await load.finish();
  const { v4 } = uplinkAddress(0, 1);
  const outside = (await it.topology.net.seen(it.topology.net.providers[0])).filter(
    (seen) => isCall(seen) && seen.from === v4,
  );
  const places = outside.map(({ to }) => placeOf(to));
  console.log(
    `never early: the first policy: ${figures(await others.stop())}; ${before} of its names were queried before it ` +
      `held, the last one by the uplink was the ${Math.max(...places)}th; answers ${JSON.stringify(rcodes)}`,
  );
  expect(places.length).toBeGreaterThan(0);
  expect(places.filter((index) => index >= before)).toEqual([]);
  await until("the tunnel forwards", async () => (await calls(some, "A")).udp > 90, 30);
});

test("a first answer is never called through another egress", async () => {
  await it.topology.api.ok("POST", "/dns/cache/flush", {});
  await flush();
  const { loadReport, outside, ...by } = await calls(first(many), "A", "AAAA");
  tell("looked up for the first time", loadReport, { outside, ...by });
  expect(outside).toEqual([]);
  expect(loadReport.followed).toBeGreaterThan(1.98 * many);
  expect(by.udp).toBeGreaterThan(1.96 * many);
  expect(by.tcp).toBeGreaterThan(0.2 * many);
});

test("nor is what was answered from the cache", async () => {
  const { loadReport, outside, ...by } = await calls(first(many), "A", "AAAA");
  tell("answered from the cache", loadReport, { outside, ...by });
  expect(outside).toEqual([]);
  expect(by.udp).toBeGreaterThan(1.96 * many);
});

test("nor when the kernel has forgotten all addresses meanwhile", async () => {
  await flush();
  const { loadReport, outside, ...by } = await calls(first(many), "A", "AAAA");
  tell("answered after the kernel has forgotten them", loadReport, { outside, ...by });
  expect(outside).toEqual([]);
  expect(by.udp).toBeGreaterThan(1.96 * many);
});

test("answered addresses stay with the policy while others are applied and the daemon is killed", async () => {
  await calls(some, "A");
  for (const priority of [11, 10]) {
    await it.topology.api.ok("PUT", `/routing/policies/${policyId}`, { priority });
    await it.topology.apply();
    await callAgain(100);
    expect(await called(100)).toMatchObject({ outside: [], udp: 100 });
  }
  await it.topology.kill();
  await callAgain(100);
  expect(await called(100)).toMatchObject({ outside: [], udp: 100 });
  // Those who answer need no daemon.
  await flush();
  expect(await calls(some, "A")).toMatchObject({ outside: [], udp: 100 });
  await it.topology.restart();
  await callAgain(100);
  expect(await called(100)).toMatchObject({ outside: [], udp: 100 });
});

test("after a restart of the kernel's tables, clients do not cache unknown addresses for long", async () => {
  const secondsOf = async (name: string) => {
    const text = await client.device.run("kdig", `@${gatewayAddress.v4}`, name, "+noall", "+answer");
    return Number(/^\S+\s+(\d+)/m.exec(text)![1]);
  };
  for (const _ of ["fresh", "from the cache"]) {
    expect(await secondsOf("n8.many.lab")).toBeLessThanOrEqual(60);
    expect(await secondsOf("long.lab")).toBeGreaterThan(60);
  }
});

test("hints in other types and rewritten answers do not lead past it", async () => {
  for (const type of ["HTTPS", "SVCB"])
    expect(await client.query("n1.many.lab", type)).toMatchObject({ status: "NOERROR", answers: [] });
  const rewrite = (domain: string, answer: string, value: string) =>
    it.topology.api.ok("POST", "/dns/rewrites", { domain, match: "exact", answer, value });
  await rewrite("n2.many.lab", "A", "45.64.200.1");
  await rewrite("n4.many.lab", "AAAA", "2600:64::c801");
  await rewrite("n5.many.lab", "CNAME", "elsewhere.lab");
  const answerOf = async (name: string, type: string) => (await client.query(name, type))?.answers.at(-1);
  await until("one is rewritten", async () => (await answerOf("n2.many.lab", "A")) === "A 45.64.200.1", 2);
  await until("another is", async () => (await answerOf("n4.many.lab", "AAAA")) === "AAAA 2600:64::c801", 2);
  await until("the third is", async () => (await answerOf("n5.many.lab", "A")) === "A 45.64.254.1", 5);
  await flush();
  expect(await calls(["n2.many.lab", "n5.many.lab"], "A")).toMatchObject({ outside: [], udp: 2 });
  expect(await calls(["n4.many.lab"], "AAAA")).toMatchObject({ outside: [], udp: 1 });
});

test("of a CNAME chain, the queried name decides the policy", async () => {
  await flush();
  expect(await calls(["out.many.lab"], "A", "AAAA")).toMatchObject({ outside: [], udp: 2 });
  await flush();
  const into = await calls(["into.lab"], "A");
  expect(new Set(into.outside.map(({ to }) => to))).toEqual(new Set(["45.64.0.3"]));
  expect(into.udp).toBe(0);
});

test("an address of two policies uses the stronger one, in either order of queries", async () => {
  const stronger = await domainPolicy("shared.lab", other, 5);
  await it.topology.apply();
  await until("the other tunnel forwards", async () => (await calls(["shared.lab"], "A")).byOther === 1, 20);
  await flush();
  expect(await calls(["shared.many.lab"], "A", "AAAA")).toMatchObject({ outside: [], udp: 2, byOther: 0 });
  expect(await calls(["shared.lab"], "A", "AAAA")).toMatchObject({ outside: [], udp: 0, byOther: 2 });
  expect(await calls(["shared.many.lab"], "A", "AAAA")).toMatchObject({ outside: [], udp: 0, byOther: 2 });
  // Without it, the address belongs to the other policy again after its next query.
  await it.topology.api.ok("DELETE", `/routing/policies/${stronger}`);
  await it.topology.apply();
  expect(await calls(["shared.many.lab"], "A", "AAAA")).toMatchObject({ outside: [], udp: 2, byOther: 0 });
});

test("an address that cannot be written to the kernel is not answered, until it can be", async () => {
  const answerOf = async (type: string) => (await client.query("n7.many.lab", type, "+timeout=2"))?.status;
  expect([await answerOf("A"), await answerOf("AAAA")]).toEqual(["NOERROR", "NOERROR"]);
  await it.topology.kill();
  const rules = await nft("-a", "list", "chain", "inet", "portcullis", "classify");
  const handle = /@domain4 # handle (\d+)/.exec(rules)![1]!;
  await nft("delete", "rule", "inet", "portcullis", "classify", "handle", handle);
  await nft("delete", "map", "inet", "portcullis", "domain4");
  expect([await answerOf("A"), await answerOf("AAAA")]).toEqual(["SERVFAIL", "NOERROR"]);
  expect(await client.query("n2.many.lab", "A")).toMatchObject({ status: "SERVFAIL", answers: [] });
  expect(await client.query(`others.${client.domain}`)).toMatchObject({ status: "NOERROR" });
  await it.topology.restart();
  await until("the map is there again", async () => (await answerOf("A")) === "NOERROR", 10);
  expect(await calls(some, "A")).toMatchObject({ outside: [], udp: 99 }); // One of them is rewritten to another family.

  await it.topology.kill();
  await nft("delete", "table", "inet", "portcullis");
  expect(await answerOf("A")).toBeUndefined(); // The egress is unknown, so there is no answer.
  await it.topology.restart();
  await until("the table is there again", async () => (await answerOf("A")) === "NOERROR", 10);
  expect(await calls(some, "A")).toMatchObject({ outside: [], udp: 99 });
});

test("while the tunnel is down no call leaves through another egress", async () => {
  tunnel.freeze();
  await until("the tunnel is down", async () => !(await isUp()), 20);
  expect(await calls(some, "A", "AAAA")).toMatchObject({ outside: [], udp: 0, tcp: 0 });
  tunnel.thaw();
  await until("it forwards again", async () => (await calls(some, "A")).udp > 0, 30);
});
const isUp = async () =>
  ((await it.topology.api.ok("GET", `/tunnels/${tunnel.id}`)) as { status: string }).status === "up";

test("control: a kernel update after the answer is too late, and leaks", async () => {
  const { gateway } = it.topology.net;
  const lateUpdate = await startJsonScript(gateway, "late-nft-update.py", "lan0", gatewayAddress.v4);
  const { loadReport } = await calls(first(Math.min(500, many)), "A");
  const report = () => lateUpdate.request("report") as Promise<{ early: number; known: number }>;
  const { early, known } = await report();
  console.log(
    `never early: control: ${early} packets of ${loadReport.followed} calls came before the kernel had their address`,
  );
  expect(known).toBeGreaterThan(0.8 * Math.min(500, many));
  expect(early).toBeGreaterThan(0);
  // It does tell the kernel: what is called later, but for the few that are rewritten, is called in time.
  const inKernel = async () =>
    (await nft("list", "set", "inet", "lab_late_update", "known")).match(/(?:\d+\.){3}\d+/g)?.length ?? 0;
  await until("the kernel has all addresses", async () => (await inKernel()) >= known, 10);
  await callAgain(100);
  expect((await report()).early - early).toBeLessThan(10);
});

test("control: names without a policy leave by the uplink, and are seen there", async () => {
  const { net } = it.topology;
  for (const host of net.providers) await net.seen(host);
  const options = { rate, count: 20, fresh: client.domain, follow: { port } };
  await (await client.startLoad(options)).finish();
  const seen = (await net.seen(net.providers[0])).filter((at) => at.port === port);
  expect(seen.map(({ from }) => from)).toEqual([uplinkAddress(0, 1).v4]);
});
