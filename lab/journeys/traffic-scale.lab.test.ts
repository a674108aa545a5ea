import type { TrafficHistory, TrafficSummary } from "@portcullis/contract/subsystems/traffic";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { latencyText, startLatencyClient } from "../api-latency.ts";
import { withTurns } from "../daemon-turns.ts";
import { daemonFolder, startApiClient, startDaemon } from "../daemon.ts";
import { addNeighbours, fillInventory, groupCount, type Sent, startManySenders } from "../many-devices.ts";
import { openLab } from "../namespaces.ts";
import { memoryOf } from "../process-memory.ts";
import { config, network, openNetwork } from "../topology-small.ts";

/* What is counted for very many devices, compared with what they sent and what they were answered. */

const count = Number(process.env["TRAFFIC_DEVICES"] ?? 500);
const devicesText = `${count.toLocaleString("en")} devices`;
const perSecond = 6000;
const paths = ["/devices", "/status", "/alerts"];

test("traffic: what is counted for very many devices is what they sent and received, within one percent, and nothing of the blocked ones", {
  tags: "proof",
}, async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, client, outside } = await openNetwork(lab);
  mkdirSync(join(folder.path, "state"), { mode: 0o700 });
  const { devices, policies } = fillInventory(join(folder.path, "state"), count);
  // Before the daemon: they are not what appears within seconds, and a burst of so many events may exceed the buffer of `ip monitor`.
  await addNeighbours(gateway, devices);
  using daemon = await withTurns(folder, () =>
    startDaemon(gateway, { ...config, limits: { requests_per_minute: 1_000_000 } }, folder),
  );
  const api = await startApiClient(gateway);
  const ok = <T>(path: string) => api.ok("GET", path) as Promise<T>;
  const status = () => ok<{ readonly revision: number; readonly applied_revision: number }>("/status");
  await until(
    "the kernel has all of it",
    async () => {
      const { revision, applied_revision: applied } = await status();
      return applied >= revision;
    },
    120,
  );
  const summary = () => ok<TrafficSummary>("/traffic/summary");
  await until("traffic is measured", async () => (await summary()).measuring, 120);
  const gatewayMac = (await gateway.run("cat", "/sys/class/net/lan0/address")).trim();
  const many = await startManySenders(client, outside, { gatewayMac, target: network.target, count, perSecond });
  const observer = await startLatencyClient(gateway, paths);

  const startedAt = Date.now();
  const since = new Date(startedAt - 60_000).toISOString();
  const rounds = [await many.send(4001), await many.send(4002)];
  // Thousands at once, two minutes after their last packets.
  await until("all connections have ended", async () => (await connections()) < 100, 300);
  for (let reading = 0; reading < 2; reading += 1) {
    const { measured_at: before } = await summary();
    await until("the counters were read", async () => (await summary()).measured_at !== before, 120);
  }
  const [during, longestTurn] = [await observer.measured(), daemon.longestSince(startedAt)];
  const answered = await many.answered();
  const sent = devices.map((_, n) => sumOf(rounds.map((it) => it[n]!)));
  const historyOf = async (subject: string) =>
    (await ok<TrafficHistory>(`/traffic/history?${subject}&resolution=minute&since=${since}`)).sum;
  const counted: TrafficHistory["sum"][] = [];
  for (const { id } of devices) counted.push(await historyOf(`device=${id}`));

  const allowed = [...devices.keys()].filter((n) => !devices[n]!.isBlocked);
  const blocked = [...devices.keys()].filter((n) => devices[n]!.isBlocked);
  expect([blocked.length, sumOf(blocked.map((n) => sent[n]!)).packets]).toEqual([
    (count * 11) / 100,
    expect.toSatisfy((it) => it > count),
  ]);
  for (const n of blocked) expect([n, answered[n]!.received, counted[n]]).toMatchObject([n, 0, nothing]);

  const compared = allowed.map((n) => ({
    n,
    sent: difference(counted[n]!.sent_bytes, sent[n]!.bytes),
    packets: difference(counted[n]!.sent_packets!, sent[n]!.packets),
    received: difference(counted[n]!.received_bytes, answered[n]!.bytes),
    connections: counted[n]!.connections,
  }));
  const isRight = (it: (typeof compared)[number]) =>
    Math.max(it.sent, it.packets, it.received) <= 0.01 && it.connections === rounds.length;
  const wrong = compared.filter((it) => !isRight(it));
  expect([wrong.length, wrong.slice(0, 5)]).toEqual([0, []]);

  const total = sumOf(allowed.map((n) => sent[n]!));
  expect(total.packets).toBeGreaterThan(15 * count);
  const ofAll = await historyOf("");
  expect(difference(ofAll.sent_bytes, total.bytes)).toBeLessThanOrEqual(0.01);
  for (const [group, { id }] of policies.entries()) {
    const own = allowed.filter((n) => devices[n]!.group === group);
    const bytes = sumOf(own.map((n) => sent[n]!)).bytes;
    const { sent_bytes: ofPolicy } = await historyOf(`policy=${id}`);
    expect([group, difference(ofPolicy, bytes)]).toEqual([group, expect.toSatisfy((it) => it <= 0.01)]);
  }
  expect(groupCount).toBe(policies.length);

  const percent = { unit: "%", most: 1 };
  recordFigure({
    name: `traffic of ${devicesText}: counted, compared with what they sent`,
    value: 100 * difference(ofAll.sent_bytes, total.bytes),
    ...percent,
    note: `${total.packets} packets in 2 connections of each of ${allowed.length} devices; ${blocked.length} blocked ones have none`,
  });
  recordFigure({
    name: `traffic of ${devicesText}: largest difference of one device, sent`,
    value: 100 * Math.max(...compared.map((it) => it.sent)),
    ...percent,
  });
  recordFigure({
    name: `traffic of ${devicesText}: largest difference of one device, received`,
    value: 100 * Math.max(...compared.map((it) => it.received)),
    ...percent,
  });
  recordFigure({
    name: `longest turn of the daemon's event loop with traffic of ${devicesText}`,
    value: longestTurn,
    unit: "s of CPU",
    most: 0.1,
  });
  recordFigure({
    name: `longest API request while ${devicesText} send`,
    value: during.longest,
    unit: "s",
    note: `99th percentile of ${during.requests} requests: ${latencyText(during)}`,
  });
  recordFigure({
    name: `resident memory of the daemon with traffic of ${devicesText}, at its maximum`,
    value: memoryOf(daemon.processId).most,
    unit: "MB",
  });
  await daemon.stop();

  async function connections(): Promise<number> {
    return Number(await gateway.run("cat", "/proc/sys/net/netfilter/nf_conntrack_count"));
  }
});

const nothing = { sent_bytes: 0, received_bytes: 0, connections: 0 };

const sumOf = (all: readonly Sent[]): Sent => ({
  packets: all.reduce((sum, it) => sum + it.packets, 0),
  bytes: all.reduce((sum, it) => sum + it.bytes, 0),
});

/** As a share of what was sent. */
const difference = (counted: number, sent: number): number => (sent === 0 ? counted : Math.abs(counted - sent) / sent);
