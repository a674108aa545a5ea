import { expect, test } from "vitest";
import type { MonitoredLink } from "../../daemon/src/health/health.ts";
import { ownMs } from "../../testing/clock.ts";
import { DeadlineMissed, expectWithin, repeatable, until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { pingCostMs, pingsOn, openMonitoredLink } from "../health-monitor.ts";

const lossSec = Number(process.env["LOSS_SEC"] ?? 25);

const link: MonitoredLink = {
  key: "link",
  name: "link",
  device: "link0",
  present: true,
  wanted: true,
  inUse: true,
  mark: 0x8000_0002,
  targets: ["10.9.0.2"],
};

test(
  "a peer that falls silent has failed within two seconds, and is up within two seconds of its return",
  repeatable,
  async () => {
    await using testLink = await openMonitoredLink();
    const monitor = await testLink.startMonitor([link]);
    await monitor.next("up");
    const times: { failed: number; up: number }[] = [];
    for (let round = 0; round < 4; round += 1) {
      await pause(300 + round * 130);
      await testLink.freeze();
      const frozenAtMs = ownMs();
      const failed = await monitor.next("failed");
      expect(failed.reason).toMatch(/^Stopped responding: no reply for \d+\.\d s, then none to a burst of probes$/);
      await pause(round * 130);
      await testLink.heal();
      const healedAtMs = ownMs();
      const up = await monitor.next("up");
      times.push({ failed: Math.round(failed.atMs - frozenAtMs), up: Math.round(up.atMs - healedAtMs) });
    }
    print("silent peer: ms until failed, and until up again", times);
    for (const [round, { failed, up }] of times.entries())
      expectWithin(2, { [`failure ${round + 1}`]: failed / 1000, [`return ${round + 1}`]: up / 1000 });
  },
);

test(
  "health: probes have a constant payload, without the time of day, and the far end is probed before public servers",
  repeatable,
  async () => {
    await using testLink = await openMonitoredLink();
    const counters = ["probes", "plain", "beyond"];
    // Behind the ICMP header: eight bytes that ping counts up, and nothing after them.
    await testLink.far.run(
      "nft",
      `table inet watch { ${counters.map((name) => `counter ${name} { }`).join("; ")}
      chain input { type filter hook input priority -500;
        ip daddr 10.9.0.9 icmp type echo-request counter name beyond
        icmp type echo-request counter name probes
        icmpv6 type echo-request counter name probes
        icmp type echo-request ip length 36 @th,64,64 0x0001020304050607 counter name plain
        icmpv6 type echo-request ip6 length 16 @th,64,64 0x0001020304050607 counter name plain
      }; }`,
    );
    const counted = async () => {
      const listing = await testLink.far.run("nft", "list", "counters", "table", "inet", "watch");
      return [...listing.matchAll(/packets (\d+)/g)].map(([, packets]) => Number(packets));
    };
    await testLink.far.run("ip", "address", "add", "10.9.0.9/24", "dev", "link0");
    const monitor = await testLink.startMonitor([
      { ...link, fallbackTargets: ["10.9.0.9"] },
      { ...link, key: "six", targets: ["fd09::2"] },
    ]);
    const [begun, up] = [await monitor.next("connecting"), await monitor.next("up")];
    await monitor.next("up", "six");
    const measured = async () => Object.values(await monitor.conditions()).every(({ rttMs }) => rttMs !== undefined);
    await until("round trips are measured", measured, 10);
    const [probes, plain, beyond] = await counted();
    expect(probes).toBeGreaterThan(3);
    expect(plain).toBe(probes);
    // The far end has a second to answer the first probe, and little more than half of one for the others. Then the public
    // servers are probed as well.
    const conditions = Object.values(await monitor.conditions());
    const isLate = up.sinceMs - begun.sinceMs >= 990 || monitor.bursts() > 0;
    if (beyond! > 0 && isLate) throw new DeadlineMissed(["an answer of the far end was late"]);
    expect(beyond).toBe(0);
    for (const { rttMs } of conditions) expect(rttMs).toBeLessThan(3000); // As long as ping is given.
    // As ping does it by itself: that is another payload.
    await testLink.near.run("ping", "-c", "1", "10.9.0.2");
    const [all, same] = await counted();
    expect(all! - same!).toBe(1);
  },
);

test("health: traffic without responses speeds up detection", repeatable, async () => {
  await using testLink = await openMonitoredLink();
  const monitor = await testLink.startMonitor([link]);
  await monitor.next("up");
  testLink.near.start("ping", "-q", "-i", "0.02", "10.9.0.2");
  await pause(1000);
  await testLink.freeze();
  const frozenAtMs = ownMs();
  const failed = await monitor.next("failed");
  expect(failed.reason).toMatch(/^Stopped responding: no reply for \d+\.\d s/);
  print("silent peer under traffic: ms until failed", failed.atMs - frozenAtMs);
  expectWithin(1.7, { "the failure under traffic": (failed.atMs - frozenAtMs) / 1000 });
});

test("health: one-directional traffic is no dead peer", { tags: "proof" }, async () => {
  await using testLink = await openMonitoredLink();
  await testLink.far.run(
    "nft",
    "add table inet deaf; add chain inet deaf input { type filter hook input priority 0; }",
  );
  // What else is sent is lost without a word, as a receiver of a stream would take it.
  await testLink.far.run("nft", "add rule inet deaf input icmp type echo-request ip length != 36 drop");
  const monitor = await testLink.startMonitor([{ ...link, inUse: false }]);
  await monitor.next("up");
  testLink.near.start("ping", "-q", "-s", "200", "-i", "0.02", "10.9.0.2");
  await pause(8000);
  expect(monitor.news.filter(({ kind }) => kind === "change").map(({ status }) => status)).toEqual([
    "connecting",
    "up",
  ]);
});

test("losing 30 % in both directions changes the status once at most", {
  tags: "proof",
  timeout: 900_000 + lossSec * 1000,
}, async () => {
  await using testLink = await openMonitoredLink();
  const monitor = await testLink.startMonitor([link]);
  await monitor.next("up");
  const before = monitor.news.length;
  await testLink.lose(30);
  // What is measured is of the last probes only, of which chance may spare most at any one moment.
  const losses: number[] = [];
  for (let second = 0; second < lossSec; second += 1) {
    await pause(1000);
    losses.push((await monitor.conditions())["link"]!.loss ?? 0);
  }
  const changes = monitor.news.slice(before).map(({ status, reason }) => ({ status, reason }));
  const worst = Math.max(...losses);
  print(`${lossSec} s of 30 % loss in both directions: measured loss up to ${worst.toFixed(2)}, changes`, changes);
  recordFigure({
    name: "status changes of a link at 30 % loss in both directions",
    value: changes.length,
    unit: "changes",
    most: 1,
  });
  expect(worst).toBeGreaterThan(0.25);
  expect(changes.length).toBeLessThanOrEqual(1);
});

test(
  "health: a removed or down interface fails the link at once, and it is probed again when it is back",
  repeatable,
  async () => {
    await using testLink = await openMonitoredLink();
    const monitor = await testLink.startMonitor([link]);
    await monitor.next("up");
    await testLink.near.run("ip", "link", "del", "link0");
    const goneAtMs = ownMs();
    const failed = await monitor.next("failed");
    // If an answer was due in this moment, that it does not come may be noticed first.
    expect(failed.reason).toMatch(/^(?:Its interface is gone$|Stopped responding: )/);
    print("device deleted: ms until failed", failed.atMs - goneAtMs);
    expectWithin(0.5, { "the failure of a deleted device": (failed.atMs - goneAtMs) / 1000 });
    await testLink.plug();
    await monitor.next("up");
    await testLink.near.run("ip", "link", "set", "link0", "down");
    await monitor.next("failed");
    await pause(2500);
    await testLink.near.run("ip", "link", "set", "link0", "up");
    const backAtMs = ownMs();
    const up = await monitor.next("up");
    print("link up again: ms until up", up.atMs - backAtMs);
    expectWithin(2, { "the return of a link": (up.atMs - backAtMs) / 1000 });
  },
);

test("health: the routing mark decides the route of a probe; of several targets the one that answers is kept", {
  tags: "proof",
}, async () => {
  await using testLink = await openMonitoredLink();
  // A bound probe without a route looks for its target on the link itself. There it must not be found.
  await testLink.far.run("sysctl", "-qw", "net.ipv4.conf.all.arp_ignore=1");
  await testLink.far.run("ip", "address", "add", "203.0.113.9/32", "dev", "lo");
  await testLink.far.run("ip", "address", "add", "2001:db8::9/128", "dev", "lo");
  await testLink.near.run("ip", "rule", "add", "fwmark", "0x80000002", "lookup", "77");
  await testLink.near.run("ip", "route", "add", "default", "via", "10.9.0.2", "dev", "link0", "table", "77");
  await testLink.near.run("ip", "-6", "rule", "add", "fwmark", "0x80000002", "lookup", "77");
  await testLink.near.run("ip", "-6", "route", "add", "default", "via", "fd09::2", "dev", "link0", "table", "77");
  const monitor = await testLink.startMonitor([
    { ...link, key: "marked", targets: ["192.0.2.1", "203.0.113.9"] },
    { ...link, key: "six", targets: ["2001:db8::9"] },
    { ...link, key: "unmarked", mark: 0, targets: ["203.0.113.9"] },
  ]);
  await monitor.next("up", "marked");
  await monitor.next("up", "six");
  expect((await monitor.next("failed", "unmarked")).reason).toBe("No probe was answered within 10 s");
  expect(await monitor.conditions()).toMatchObject({ marked: { status: "up" }, six: { status: "up" } });
});

test("health: a new monitor resumes the state of a killed one, and no probe process outlives it", async () => {
  await using testLink = await openMonitoredLink();
  const first = await testLink.startMonitor([link]);
  await first.next("up");
  await until("one probe runs", async () => (await pingsOn(testLink.near)).length === 1, 5);
  await first.kill();
  await until("no probe runs", async () => (await pingsOn(testLink.near)).length === 0, 5);
  const second = await testLink.startMonitor([link]);
  expect((await second.conditions())["link"]).toMatchObject({ status: "up", changes: 2 });
  await pause(2500);
  expect(second.news).toEqual([]);
  await testLink.freeze();
  await second.next("failed");
  await until("the failure is reported", async () => second.news.some(({ kind }) => kind === "failing"), 5);
});

test("health: monitoring twenty links costs little", { tags: "proof" }, async () => {
  await using testLink = await openMonitoredLink();
  const links = Array.from({ length: 20 }, (_, number) => ({ ...link, key: `link${number}` }));
  const monitor = await testLink.startMonitor(links);
  for (const { key } of links) await monitor.next("up", key);
  await pause(1000);
  const seconds = 10;
  const before = { own: await monitor.costMs(), pings: await pingCostMs(testLink.near) };
  await pause(seconds * 1000);
  const after = { own: await monitor.costMs(), pings: await pingCostMs(testLink.near) };
  const own = (after.own - before.own) / seconds;
  const pings = (after.pings - before.pings) / seconds;
  expect(Object.values(await monitor.conditions())).toHaveLength(links.length);
  print("twenty links: ms of processor time per second, ours and that of ping", { own, pings });
  recordFigure({
    name: "processor time of the health checks of twenty egresses",
    value: own + pings,
    unit: "ms/s",
    most: 100,
  });
});

/** Time itself is what these tests are about: how long something lasts, and at which phase it begins. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const print = (what: string, value: unknown): void =>
  void process.stdout.write(`${what}: ${JSON.stringify(typeof value === "number" ? Math.round(value) : value)}\n`);
