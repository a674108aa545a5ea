import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { linux } from "../../daemon/src/system/system.ts";
import { expectWithin, repeatable, until } from "../../testing/deadline.ts";
import { type DnsLoad, queryOnce, startDnsLoad } from "../dns-load.ts";
import { startDnsSniffer } from "../sniffer.ts";
import { hostilities, startHostile } from "../hostile.ts";
import { type Internet, openInternet, uplinkAddress } from "../internet.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type Resolver, routeManyToWeb, startResolver } from "../resolvers.ts";
import { server } from "../topology-devices.ts";
import { forgedAddress, openDnsTree, type DnsTree } from "../dns-tree.ts";

/*
 * Tests of the lab itself: the tools that measure the DNS plane must be right first. There is no daemon; the gateway
 * sends the queries.
 */
let lab: Lab;
let net: Internet;
let world: DnsTree;
let good: Resolver;
let another: Resolver;
let unknown: Resolver;

beforeAll(async () => {
  lab = openLab();
  net = await openInternet(lab);
  world = openDnsTree();
  await routeManyToWeb(net);
  good = await startResolver(net, world, "r1");
  another = await startResolver(net, world, "r2", { certificate: "of another" });
  unknown = await startResolver(net, world, "r3", { certificate: "untrusted" });
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  for (const it of [good, another, unknown, world]) it?.[Symbol.dispose]();
});

const ask = (name: string, type?: string, ...flags: string[]) =>
  queryOnce(net.gateway, good.site.v4, name, type, ...flags);
const trusting = ({ serverName }: Resolver) => [`+tls-ca=${world.caFile}`, `+tls-hostname=${serverName}`];

describe("every server of the world", () => {
  test("knows any fresh name, by UDP and TCP, in both families", async () => {
    const answer = { status: "NOERROR", answers: [`A ${server.v4}`] };
    expect(await ask("anything.d1.fresh.lab")).toMatchObject(answer);
    expect(await ask("anything.d2.fresh.lab", "A", "+tcp")).toMatchObject(answer);
    expect(await queryOnce(net.gateway, good.site.v6, "anything.d3.fresh.lab")).toMatchObject(answer);
    expect(await ask("anything.d1.fresh.lab", "AAAA")).toMatchObject({ answers: [`AAAA ${server.v6}`] });
    expect(await ask("unheard-of.lab")).toMatchObject({ status: "NXDOMAIN", answers: [] });
  });

  test("knows the names that tests need", async () => {
    expect((await ask("chain.lab"))!.answers).toEqual([
      ...[1, 2, 3, 4].map((index) => `CNAME chain${index}.lab.`),
      `A ${server.v4}`,
    ]);
    expect((await ask("private.lab"))!.answers.toSorted()).toEqual(["A 10.0.0.1", "A 192.168.1.1"]);
    expect((await ask("cloaked.lab"))!.answers).toEqual(["CNAME tracker.lab.", `A ${server.v4}`]);
    expect((await ask("service.lab", "HTTPS"))!.answers).toEqual([`HTTPS 1 . ipv4hint=${server.v4}`]);
    expect((await ask("n99.many.lab"))!.answers).toEqual(["A 45.64.0.99"]);
    expect((await ask("big.lab", "TXT"))!.answers).toHaveLength(20); // By TCP, after an answer that was cut off
  });

  test.each([
    ["DoT", "+tls"],
    ["DoH", "+https"],
  ])("is trusted by %s if its certificate is its own", async (_, flag) => {
    const loadReport = (it: Resolver) => queryOnce(net.gateway, it.site.v4, "signed.lab", "A", flag, ...trusting(it));
    expect(await loadReport(good)).toMatchObject({ status: "NOERROR", answers: [`A ${server.v4}`] });
    expect(await loadReport(another)).toBeUndefined();
    expect(await loadReport(unknown)).toBeUndefined();
    // They are there, only not to be trusted.
    for (const it of [another, unknown])
      expect(await queryOnce(net.gateway, it.site.v4, "signed.lab", "A", flag)).toMatchObject({ status: "NOERROR" });
  });

  test("a resolver stops answering and recovers, in three modes", async () => {
    await good.silence();
    expect(await ask("signed.lab")).toBeUndefined();
    await good.recover();
    expect(await ask("signed.lab")).toMatchObject({ status: "NOERROR" });
    await good.kill();
    expect(await ask("signed.lab")).toBeUndefined();
    await good.restart();
    expect(await ask("signed.lab")).toMatchObject({ status: "NOERROR" });
    expect(await good.answered()).toBe(1);
  });
});

test("a validator believes what is signed, not what is forged, and nothing at all when the clock is 30 days wrong", async () => {
  const conf = `server:
	interface: 127.0.0.1@5390
	do-daemonize: no
	username: ""
	chroot: ""
	pidfile: ""
	use-syslog: no
	directory: "/"
	trust-anchor: "${world.anchor}"
forward-zone:
	name: "."
	forward-addr: ${good.site.v4}
remote-control:
	control-enable: no
`;
  const validating = async (name: string) => {
    const answer = await linux.inMemory(conf, async (path) => {
      const child = net.gateway.start("unbound", "-d", "-c", path);
      const ended = once(child, "exit");
      try {
        let there: Awaited<ReturnType<typeof queryOnce>>;
        const isThere = async () =>
          (there = await queryOnce(net.gateway, "127.0.0.1", name, "A", "-p", "5390", "+dnssec")) !== undefined;
        await until("Unbound answers", isThere, 20);
        return there!;
      } finally {
        process.kill(-child.pid!, "SIGKILL");
        await ended; // The next one listens on the same port.
      }
    });
    return { ...answer, answers: answer.answers.filter((it) => !it.startsWith("RRSIG")) };
  };
  const believed = { status: "NOERROR", answers: [`A ${server.v4}`], isAuthentic: true };
  expect(await validating("signed.lab")).toEqual(believed);
  expect(await validating("any.fresh.lab")).toEqual({ ...believed, isAuthentic: false });
  expect((await ask("forged.lab"))!.answers).toEqual([`A ${forgedAddress}`]);
  expect(await validating("forged.lab")).toMatchObject({ status: "SERVFAIL", answers: [] });
  for (const daysAhead of [30, -30]) {
    world.sign(daysAhead);
    await good.restart();
    expect(await validating("signed.lab")).toMatchObject({ status: "SERVFAIL" });
  }
  world.sign(0);
  await good.restart();
  expect(await validating("signed.lab")).toEqual(believed);
});

describe("DNS load", () => {
  test("DNS load: counts answers, at the configured rate", repeatable, async () => {
    const before = await good.answered();
    const load = await startDnsLoad(net.gateway, {
      server: good.site.v4,
      rate: 5000,
      count: 10_000,
      fresh: "d1.fresh.lab",
    });
    const loadReport = await load.finish();
    console.log(`DNS load: ${JSON.stringify(loadReport)}`);
    expect(loadReport).toMatchObject({ sent: 10_000, answered: 10_000, lost: 0, rcodes: { 0: 10_000 } });
    expect((await good.answered()) - before).toBe(10_000);
    expect(loadReport.seconds).toBeGreaterThan(1);
    expectWithin(3, { "10 000 queries at 5000 a second": loadReport.seconds });
  });

  test("DNS load: counts losses, and the longest time without an answer", async () => {
    await good.lose(20);
    const options = { server: good.site.v6, rate: 2000, names: ["signed.lab", "none.lab"], types: ["A", "AAAA"] };
    const some = await startDnsLoad(net.gateway, { ...options, count: 4000, timeoutSec: 5 });
    const { sent, lost, answered, rcodes } = await some.finish();
    expect([sent, lost + answered]).toEqual([4000, 4000]);
    expect(lost / sent).toBeGreaterThan(0.16);
    expect(lost / sent).toBeLessThan(0.24);
    expect(Object.keys(rcodes).toSorted()).toEqual(["0", "3"]);
    await good.lose(0);
    const one = await startDnsLoad(net.gateway, { ...options, timeoutSec: 5 });
    await untilQueried(one, 500);
    await good.silence();
    await untilQueried(one, (await one.report()).sent + 2000);
    await good.recover();
    await untilQueried(one, (await one.report()).sent + 500);
    const silent = await one.stop();
    expect(silent.lost).toBeGreaterThan(1000);
    expect(silent.longestSilenceMs).toBeGreaterThan(300);
  });

  test("calls whatever is answered", async () => {
    for (const host of net.providers) await net.seen(host);
    const names = Array.from({ length: 50 }, (_, index) => `n${index}.many.lab`);
    const follow = { port: 9, tcpEach: 10 };
    const options = { server: good.site.v4, rate: 1000, count: 100, names, types: ["A", "AAAA"], follow };
    const load = await startDnsLoad(net.gateway, options);
    expect(await load.finish()).toMatchObject({ answered: 100, followed: 100 });
    const calls = (await net.seen(net.providers[0])).filter(
      ({ to, port }) => /^(45\.64|2600:64)/.test(to) && port === 9,
    );
    expect(new Set(calls.filter(({ protocol }) => protocol === "udp").map(({ to }) => to)).size).toBe(100);
    expect(calls.filter(({ protocol }) => protocol === "tcp").length).toBeGreaterThan(5);
  });
});

const untilQueried = (it: DnsLoad, many: number) =>
  until(`${many} are sent`, async () => (await it.report()).sent >= many, 20);

test("DNS sniffer: reports which names were queried on which wire, and by which client", async () => {
  const [provider, other, core] = [
    await startDnsSniffer(net.providers[0]),
    await startDnsSniffer(net.providers[1]),
    await startDnsSniffer(net.core),
  ];
  const { v4, v6 } = uplinkAddress(0, 1);
  const load = await startDnsLoad(net.gateway, {
    server: good.site.v4,
    rate: 5000,
    count: 5000,
    fresh: "D1.fresh.lab",
  });
  await load.finish();
  await queryOnce(net.gateway, good.site.v6, "x.d2.fresh.lab");
  await queryOnce(net.gateway, good.site.v4, "x.d3.fresh.lab", "A", "+tcp");
  await queryOnce(net.gateway, good.site.v4, "x.d4.fresh.lab", "A", "+tls");
  const caught = await provider.sniffed();
  const named = caught
    .filter(({ domain }) => domain !== null)
    .map(({ wire, from, domain, names }) => ({ wire, from, domain, names }));
  expect(named.toSorted((a, b) => a.domain!.localeCompare(b.domain!))).toEqual([
    { wire: "from-gw", from: v4, domain: "d1.fresh.lab", names: 5000 },
    { wire: "from-gw", from: v6, domain: "d2.fresh.lab", names: 1 },
    { wire: "from-gw", from: v4, domain: "d3.fresh.lab", names: 1 },
  ]);
  expect(caught.some(({ port, to }) => port === 853 && to === good.site.v4)).toBe(true);
  expect(await other.sniffed()).toEqual([]);
  expect(new Set((await core.sniffed()).map(({ wire }) => wire))).toEqual(new Set(["from-isp0"]));
  // The last packets of connections may arrive later than the answers; they are no queries.
  expect((await provider.sniffed()).filter(({ domain }) => domain !== null)).toEqual([]);
});

test("hostile queries are sent, and an unrelated server survives them", async () => {
  const hostile = await startHostile(net.gateway, {
    server: another.site.v4,
    rate: 3000,
    seed: "lab",
    kinds: hostilities,
  });
  const counted = async () => Object.values(await hostile.report()).reduce((sum, it) => sum + it, 0);
  await until("6000 are sent", async () => (await counted()) >= 6000, 20);
  const sent = await hostile.stop();
  expect(Object.values(sent).every((it) => it >= 1000)).toBe(true);
  expect(await queryOnce(net.gateway, another.site.v4, "signed.lab")).toMatchObject({ status: "NOERROR" });
});
