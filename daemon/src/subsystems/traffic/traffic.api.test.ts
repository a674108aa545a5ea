import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { noUsage } from "../../ledger/traffic-rollup.ts";
import { type DestinationUsage, openTrafficStore, type Subject } from "../../ledger/traffic-store.ts";
import { databaseFiles } from "../../system/database-files.ts";

const nowMs = Date.parse("2026-10-01T12:00:30Z");
const nowSec = nowMs / 1000;

interface Recorded {
  readonly minutesAgo: number;
  readonly subject: Subject;
  readonly sent: number;
  readonly received: number;
}

/** A gateway with a device, a policy and a history. */
async function gatewayWith(
  record: (ids: { device: string; policy: string }) => {
    readonly usage?: readonly Recorded[];
    readonly destinations?: readonly (DestinationUsage & { readonly minutesAgo: number })[];
  },
): Promise<TestGateway & { ids: { device: string; policy: string } }> {
  const folder = temporaryFolder();
  const state = join(folder.path, "state");
  mkdirSync(state, { mode: 0o700 });
  const now = () => new Date(nowMs);
  const first = await startGateway({ folder, now });
  const device = (await first.request("POST", "/devices", { body: { name: "Kitchen TV", ips: ["10.0.0.5"] } })).json()
    .id;
  const policy = (
    await first.request("POST", "/routing/policies", {
      body: {
        name: "TV direct",
        source_type: "device",
        source_value: device,
        hops: [],
        fail_policy: "fail-closed",
        priority: 10,
      },
    })
  ).json().id;
  const ids = { device, policy };
  const gateway = await first.restart(() => {
    const path = join(state, "traffic.db");
    const store = openTrafficStore({ path, warn: () => {}, ...databaseFiles(path) });
    const { usage = [], destinations = [] } = record(ids);
    const minutes = new Set([...usage, ...destinations].map((it) => it.minutesAgo));
    for (const ago of [...minutes].toSorted((a, b) => b - a))
      store.write(
        [
          {
            startSec: Math.floor(nowSec / 60) * 60 - ago * 60,
            subjects: usage
              .filter(({ minutesAgo }) => minutesAgo === ago)
              .map((it) => ({
                ...it.subject,
                usage: { ...noUsage, sentBytes: it.sent, receivedBytes: it.received, connections: 1 },
                samples: [{ slot: 1, sentBytes: it.sent, receivedBytes: it.received }],
              })),
          },
        ],
        destinations.filter(({ minutesAgo }) => minutesAgo === ago),
      );
    store.close();
  });
  return Object.assign(gateway, { ids });
}

const total = { kind: "total", id: "" } as const;

/** One for all tests, which only read. */
let gateway: Awaited<ReturnType<typeof gatewayWith>>;
afterAll(() => gateway[Symbol.asyncDispose]());
beforeAll(async () => {
  const usage = { sentBytes: 10, receivedBytes: 100, connections: 1 };
  gateway = await gatewayWith(({ device, policy }) => ({
    usage: [
      { minutesAgo: 3, subject: total, sent: 900, received: 9000 },
      { minutesAgo: 3, subject: { kind: "device", id: device }, sent: 100, received: 1000 },
      { minutesAgo: 3, subject: { kind: "policy", id: policy }, sent: 7, received: 70 },
      { minutesAgo: 1, subject: total, sent: 0, received: 0 },
    ],
    destinations: [
      { minutesAgo: 1, device, destination: "small.example", ...usage },
      { minutesAgo: 1, device, destination: "large.example", ...usage, receivedBytes: 5000 },
      { minutesAgo: 1, device, destination: "", ...usage, receivedBytes: 300 },
      { minutesAgo: 16 * 60, device, destination: "yesterday.example", ...usage, receivedBytes: 20 },
      { minutesAgo: 25 * 60, device, destination: "earlier.example", ...usage, receivedBytes: 30 },
    ],
  }));
});

test("traffic: the history of a device has the intervals that were measured, by id and by name", async () => {
  const query = "resolution=minute&since=2026-10-01T11:00:00Z";
  const answer = (await gateway.request("GET", `/traffic/history?device=kitchen%20tv&${query}`)).json();
  expect(answer).toMatchObject({
    subject: "device",
    subject_id: gateway.ids.device,
    subject_name: "Kitchen TV",
    resolution: "minute",
    step_sec: 60,
    sum: { sent_bytes: 100, received_bytes: 1000, connections: 1 },
  });
  expect(answer.points.map((it: { timestamp: string; sent_bytes: number }) => [it.timestamp, it.sent_bytes])).toEqual([
    ["2026-10-01T11:57:00.000Z", 100],
    ["2026-10-01T11:59:00.000Z", 0],
  ]);
  const byId = (await gateway.request("GET", `/traffic/history?device=${gateway.ids.device}&${query}`)).json();
  expect(byId).toEqual(answer);
  const all = (await gateway.request("GET", `/traffic/history?${query}`)).json();
  expect(all).toMatchObject({ subject: "total", subject_id: null, sum: { sent_bytes: 900 } });
});

test("traffic: without a resolution the range decides, and too many intervals are refused with advice", async () => {
  const get = async (query: string) => (await gateway.request("GET", `/traffic/history?${query}`)).json();
  expect(await get("policy=TV%20direct&since=2026-10-01T11:00:00Z")).toMatchObject({
    resolution: "raw",
    sum: { sent_bytes: 7, connections: null },
  });
  expect(await get("policy=TV%20direct&since=2026-09-25T11:00:00Z")).toMatchObject({
    resolution: "hour",
    sum: { sent_bytes: 7, connections: 1 },
  });
  expect(await get("resolution=minute&since=2026-09-29T11:00:00Z")).toMatchObject({
    error: { code: "invalid_request", message: expect.stringContaining("use a wider one") },
  });
  expect(await get("device=Kitchen%20TV&policy=TV%20direct")).toMatchObject({
    error: { code: "invalid_request" },
  });
  expect(await get("uplink=unknown")).toMatchObject({ error: { message: expect.stringContaining("there are: ") } });
  expect(await get("tunnel=0190a1b2-0000-7000-8000-000000000001")).toMatchObject({
    error: { code: "not_found" },
  });
});

test("traffic: destinations come largest first, of one device or of all", async () => {
  const top = (await gateway.request("GET", "/traffic/destinations?device=Kitchen%20TV&limit=2")).json();
  expect(top).toEqual([
    { destination: "large.example", sent_bytes: 10, received_bytes: 5000, connections: 1 },
    { destination: null, sent_bytes: 10, received_bytes: 300, connections: 1 },
  ]);
  expect((await gateway.request("GET", "/traffic/destinations?since=2026-10-01T01:00:00Z")).json()).toHaveLength(3);
});

test("traffic: a range of destinations has its first hour as a whole, and hours before midnight", async () => {
  const names = async (query: string) =>
    (await gateway.request("GET", `/traffic/destinations?${query}`))
      .json()
      .map((it: { destination: string | null }) => it.destination);
  const ofTheHour = ["large.example", null, "small.example"];
  expect(await names("since=2026-10-01T11:00:30Z")).toEqual(ofTheHour);
  expect(await names("since=2026-10-01T12:00:30Z&until=2026-10-01T12:00:31Z")).toEqual([]);
  expect(await names("")).toEqual([...ofTheHour, "yesterday.example"]);
  expect(await names("since=2026-09-30T11:30:00Z")).toEqual([
    "large.example",
    null,
    "small.example",
    "earlier.example",
    "yesterday.example",
  ]);
});

test("traffic: without a dataplane nothing is measured, and the summary states why", async () => {
  expect((await gateway.request("GET", "/traffic/summary")).json()).toMatchObject({
    measuring: false,
    coded_reason: { code: "dataplane_off" },
    measured_at: null,
    total: { sent_bytes_per_sec: null },
    devices: [],
  });
});
