import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Alert } from "@portcullis/contract/subsystems/alerts";
import type { DiscoveredDevice } from "@portcullis/contract/subsystems/discovery";
import { expect, test } from "vitest";
import { expectWithin, until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { receiveAlerts } from "../alert-messages.ts";
import { latencyText, startLatencyClient } from "../api-latency.ts";
import { withTurns } from "../daemon-turns.ts";
import { daemonFolder, startApiClient, startDaemon } from "../daemon.ts";
import { subscribeToEvents } from "../events.ts";
import { openLab } from "../namespaces.ts";
import { memoryOf } from "../process-memory.ts";
import { config, network, openNetwork } from "../topology-small.ts";

/* Very many devices that appear at once, as after a power cut, on a gateway that others use meanwhile. */

const count = 1000;
const knownCount = 300;
/** Their answers have the same size before and after, but for one alert. */
const paths = ["/devices", "/status", "/alerts", "/devices/discovered?known=true"];
const idleSec = 25;

test("discovery: 1,000 devices appear within a minute: each is listed completely, one message reports them, and the API answers meanwhile", {
  tags: "proof",
}, async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, client, outside } = await openNetwork(lab);
  using daemon = await withTurns(folder, () =>
    startDaemon(gateway, { ...config, limits: { requests_per_minute: 1_000_000 } }, folder),
  );
  const api = await startApiClient(gateway);
  const { url, messages } = await receiveAlerts(outside, network.target);
  const severities = ["critical", "warning", "info"];
  await api.ok("POST", "/alert-channels", { name: "receiver", type: "webhook", url, severities });
  for (let number = 0; number < knownCount; number += 1) await api.ok("POST", "/devices", { name: `known ${number}` });
  using events = await subscribeToEvents(gateway);
  const observer = await startLatencyClient(gateway, paths);
  // Cold code is not what is compared.
  for (const seconds of [idleSec, idleSec]) {
    await wait(seconds * 1000);
    await observer.measured();
  }
  await wait(idleSec * 1000);
  const [idle, memory] = [await observer.measured(), memoryOf(daemon.processId)];

  const [startedAt, startedMs] = [Date.now(), performance.now()];
  await client.run("python3", join(import.meta.dirname, "../announce.py"), "eth0", "many", String(count));
  const list = async () =>
    (await api.ok("GET", `/devices/discovered?known=false&limit=${count}`)) as readonly DiscoveredDevice[];
  const isComplete = ({ facts }: DiscoveredDevice) => facts.some(({ source }) => source === "mdns");
  await until("all are listed completely", async () => (await list()).filter(isComplete).length === count, 60);
  const listedSec = (performance.now() - startedMs) / 1000;
  const [during, longestTurn] = [await observer.measured(), daemon.longestSince(startedAt)];
  const listed = await list();
  expect(listed.map(described).toSorted((a, b) => a.mac.localeCompare(b.mac))).toEqual(
    Array.from({ length: count }, (_, number) => expected(number)),
  );
  for (const { first_seen: first, last_seen: last } of listed) {
    expect(Date.parse(first)).toBeGreaterThanOrEqual(startedAt);
    expect(Date.parse(last!)).toBeGreaterThanOrEqual(Date.parse(first));
    expect(Date.parse(last!)).toBeLessThanOrEqual(Date.now());
  }

  const reports = () => events.flatMap(({ event, data }) => (event === "device.discovered" ? [data] : []));
  const reported = () =>
    reports().reduce((sum, it) => sum + (it["devices"] as readonly object[]).length + (it["omitted"] as number), 0);
  await until("they were reported", async () => reported() >= count, 70);
  await until("the message was delivered", async () => messages.length > 0);
  const alerts = (await api.ok("GET", "/alerts?rule=new-device")) as readonly Alert[];
  expect(alerts).toMatchObject([{ state: "active", count }]);
  expect(reports()).toHaveLength(1);
  expect(messages).toHaveLength(1);
  expect(messages[0]).toMatchObject({ rule: "new-device", details: { event: "raised", count } });
  expect(messages[0]!.message).toContain(String(count));

  expectWithin(60, { "1,000 devices are listed": listedSec });
  recordFigure({
    name: "99th percentile of API latency while 1,000 devices appear, compared to idle",
    value: during.p99 / idle.p99,
    unit: "×",
    most: 2,
    note: `${during.requests} requests: ${latencyText(during)}; idle, ${idle.requests} requests: ${latencyText(idle)}`,
  });
  recordFigure({
    name: "longest turn of the daemon's event loop while 1,000 devices appear",
    value: longestTurn,
    unit: "s of CPU",
    most: 0.1,
  });
  recordFigure({
    name: "longest API request while 1,000 devices appear",
    value: during.longest,
    unit: "s",
    note: `idle: ${(1000 * idle.longest).toFixed(0)} ms`,
  });
  recordFigure({
    name: "resident memory that the daemon gained by 1,000 devices",
    value: memoryOf(daemon.processId).most - memory.most,
    unit: "MB",
    note: `${memory.now.toFixed(0)} MB before`,
  });
  await daemon.stop();
});

const described = ({ mac, facts, addresses, first_seen: _first, last_seen: _last, ...rest }: DiscoveredDevice) => ({
  mac,
  ...rest,
  addresses: addresses.map(({ address }) => address),
  facts: facts.map(({ field, source, value }) => `${field} ${source} ${value}`).toSorted(),
});

/** What the n-th device says about itself. */
function expected(number: number): ReturnType<typeof described> {
  const hex = (byte: number) => byte.toString(16).padStart(2, "0");
  return {
    mac: `02:00:00:01:${hex(number >> 8)}:${hex(number & 255)}`,
    random_mac: true,
    device_id: null,
    device_name: null,
    interface: "lan0",
    addresses: [`10.77.${16 + (number >> 8)}.${number & 255}`],
    vendor: null,
    vendor_status: "random_mac",
    suggested_name: `Speaker ${number}`,
    facts: [
      `dhcp_parameters dhcp 1,3,6`,
      `hostname dhcp client-${number}`,
      `hostname mdns client-${number}`,
      `name mdns Speaker ${number}`,
      `product mdns Example Cast`,
    ],
    online: true,
    candidates: [],
  };
}
