import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dnsLogIn, sampleAnswer } from "../../../../testing/dns-log.ts";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import type { LoggedAnswer } from "../../ledger/dns-log-pages.ts";

/** A gateway whose log has these answers already. */
async function gatewayWith(answers: readonly Partial<LoggedAnswer>[]): Promise<TestGateway> {
  const folder = temporaryFolder();
  const state = join(folder.path, "state");
  mkdirSync(state, { mode: 0o700 });
  const log = dnsLogIn(state, { nowMs: () => nowMs });
  log.write(answers.map((it, n) => sampleAnswer(1, { atMs: nowMs + n * 1000, ...it })));
  log.close();
  return startGateway({ folder, now: () => new Date(nowMs + 60_000) });
}

const nowMs = Date.parse("2026-10-01T12:00:00Z");
const cause = { resource_type: "dns_list", resource_id: "0190a1b2-0000-7000-8000-000000000001", name: "Trackers" };

test("DNS log: an entry has client, query, verdict and deciding rule", async () => {
  await using gateway = await gatewayWith([
    {
      client: "10.0.0.5",
      name: "tracker.example",
      type: 65,
      rcode: 3,
      verdict: "block",
      side: "self",
      resolver: 4,
      latencyUs: 1250,
      answers: 0,
      cause,
    },
  ]);
  const { id } = (await gateway.request("POST", "/devices", { body: { name: "Laptop", ips: ["10.0.0.5"] } })).json();
  expect((await gateway.request("GET", "/dns/log")).json()).toEqual([
    {
      id: 1,
      timestamp: "2026-10-01T12:00:00.000Z",
      client: "10.0.0.5",
      device_id: id,
      device_name: "Laptop",
      name: "tracker.example",
      type: "HTTPS",
      rcode: "NXDOMAIN",
      verdict: "block",
      cause,
      answered_by: "gateway",
      egress_number: 4,
      latency_ms: 1.25,
      answers: 0,
    },
  ]);
});

test("DNS log: the log comes in pages, newest first, and can be followed, oldest first", async () => {
  await using gateway = await gatewayWith(Array.from({ length: 25 }, (_, n) => ({ name: `n${n}.example` })));
  const seen: number[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 3; page++) {
    const { items, next } = await gateway.client.dnsLog.list({ query: { limit: 10, ...(cursor && { cursor }) } });
    seen.push(...items.map(({ id }) => id));
    cursor = next;
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => 25 - n));
  expect(cursor).toBeUndefined();
  const followed = await gateway.client.dnsLog.list({ query: { after: 20, limit: 3 } });
  expect(followed.items.map(({ id }) => id)).toEqual([21, 22, 23]);
  expect(followed.next).toBeUndefined();
});

test("DNS log: the log is narrowed by client, device, name, domain, type, verdict and time", async () => {
  await using gateway = await gatewayWith([
    { client: "10.0.0.5", name: "www.example.org", type: 1 },
    { client: "fd00::5", name: "example.org", type: 28, verdict: "allow" },
    { client: "10.0.0.6", name: "notexample.org", type: 65, verdict: "block" },
  ]);
  await gateway.request("POST", "/devices", { body: { name: "Laptop", ips: ["10.0.0.5", "fd00::5"] } });
  const found = async (query: string) =>
    (await gateway.request("GET", `/dns/log?${query}`)).json().map(({ id }: { id: number }) => id);
  expect(await found("client=10.0.0.6")).toEqual([3]);
  expect(await found("client=fd00:0::0:5")).toEqual([2]);
  expect(await found("client=Laptop")).toEqual([2, 1]);
  expect(await found("client=Unknown")).toEqual([]);
  expect(await found("name=EXAMPLE")).toEqual([3, 2, 1]);
  expect(await found("name=.example.org.")).toEqual([2, 1]);
  expect(await found("name=*.example.org")).toEqual([2, 1]);
  expect(await found("type=https")).toEqual([3]);
  expect(await found("type=TYPE28")).toEqual([2]);
  expect(await found("verdict=allow")).toEqual([2]);
  expect(await found("since=2026-10-01T12:00:01Z&until=2026-10-01T12:00:02Z")).toEqual([2]);
  expect((await gateway.request("GET", "/dns/log?type=BOGUS")).status).toBe(400);
  expect((await gateway.request("GET", "/dns/log?cursor=nonsense")).status).toBe(400);
});

test("DNS log: clients are listed with their counters", async () => {
  await using gateway = await gatewayWith([
    { client: "10.0.0.5", side: "cache" },
    { client: "10.0.0.5", verdict: "cname" },
    { client: "10.0.0.6", keep: "counts" },
  ]);
  expect((await gateway.request("GET", "/dns/clients")).json()).toEqual([
    {
      address: "10.0.0.5",
      device_id: null,
      device_name: null,
      log_level: "full",
      queries: 2,
      blocked: 1,
      cached: 1,
      first_seen: "2026-10-01T12:00:00.000Z",
      last_seen: "2026-10-01T12:00:01.000Z",
    },
    expect.objectContaining({ address: "10.0.0.6", queries: 1 }),
  ]);
});

test("DNS log: statistics have the last day and the most queried names", async () => {
  await using gateway = await gatewayWith([
    ...Array.from({ length: 3 }, () => ({ client: "10.0.0.5", name: "often.example", side: "cache" as const })),
    { client: "10.0.0.6", name: "ads.example", verdict: "block" as const, side: "self" as const },
    { client: "10.0.0.6", name: "hidden.example", keep: "counts" as const, side: "front" as const },
  ]);
  const { minutes, ...rest } = (await gateway.request("GET", "/dns/statistics?top=1")).json();
  expect(minutes).toEqual([{ timestamp: "2026-10-01T12:00:00.000Z", queries: 5, blocked: 1, cached: 3 }]);
  expect(rest).toMatchObject({
    queries: 5,
    blocked: 1,
    cached: 3,
    top_names: [{ name: "often.example", queries: 3 }],
    top_blocked: [{ name: "ads.example", queries: 1 }],
    top_names_rows: 4,
    top_clients: [{ client: "10.0.0.5", queries: 3 }],
    log: { rows: 4, rows_kept: 1_000_000, lost: 0 },
  });
});

test("DNS log: the log of one client, or all of it, can be cleared, and who did it is written down", async () => {
  await using gateway = await gatewayWith([{ client: "10.0.0.5" }, { client: "10.0.0.6" }]);
  const left = async () => (await gateway.client.dnsLog.list({ query: {} })).items.map(({ client }) => client);
  await gateway.client.dnsLog.clear({ query: { client: "10.0.0.5" } });
  expect(await left()).toEqual(["10.0.0.6"]);
  await gateway.client.dnsLog.clear({ query: {} });
  expect([await left(), (await gateway.client.dnsLog.clients({ query: {} })).items]).toEqual([[], []]);
  const audited = (await gateway.request("GET", "/audit?action=clear_dns_log")).json();
  expect(audited.map(({ details }: { details: unknown }) => details)).toEqual([
    { client: null },
    { client: "10.0.0.5" },
  ]);
});
