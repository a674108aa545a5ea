import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectWithin, until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type Client, openDnsTopology, type DnsTopology } from "../topology-dns.ts";

/* Pauses of DNS filtering, and of single domains: real resolvers, and a daemon that is killed meanwhile. */
let lab: Lab;
let it: DnsTopology;
let child: Client;
let other: Client;
let queries = 0;

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab);
  child = await it.client("d1", "direct");
  other = await it.client("d2", "direct");
  await it.topology.apply();
  for (const one of [child, other])
    await until("names are answered", async () => (await one.query("signed.lab"))?.status === "NOERROR", 20);
  const group = (await ok("POST", "/device-groups", { name: "Children" })) as { id: string };
  await ok("PUT", `/devices/${child.deviceId}`, { group_ids: [group.id] });
  await ok("POST", "/dns/blocklist", { domain: "toys.fresh.lab" });
  await until("both are blocked", async () => (await blocked(child)) && (await blocked(other)), 20);
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const ok = (method: string, path: string, body?: object) => it.topology.api.ok(method, path, body);

/** The answer for a name that was never queried before. */
async function statusOf(who: Client, domain: string): Promise<string | undefined> {
  return (await who.query(`q${(queries += 1)}.${domain}`))?.status;
}
const blocked = async (who: Client, domain = "toys.fresh.lab") => (await statusOf(who, domain)) === "NXDOMAIN";
const both = async (domain?: string) => [await blocked(child, domain), await blocked(other, domain)];

interface Started {
  readonly id: string;
  readonly expires_at: string;
}
async function start(body: object): Promise<Started> {
  const made = await ok("POST", "/pauses", { duration_min: 1, ...body });
  expect(made).toMatchObject({ active: true, enforced: true });
  return made as Started;
}
const end = async ({ id }: Started) => expect(await ok("DELETE", `/pauses/${id}`)).toMatchObject({ enforced: true });
const group = { source_type: "device_group", source_value: "Children" };
const everyone = { source_type: "everyone" };

test("filtering that is paused for a group is paused for its device only, from the answer on, and goes on when the pause is ended", async () => {
  const pause = await start({ type: "filtering", ...group });
  expect(await both()).toEqual([false, true]);
  expect(await ok("POST", "/dns/test", { name: "toys.fresh.lab", device_id: child.deviceId })).toMatchObject({
    verdict: "none",
  });
  expect(await ok("POST", "/dns/test", { name: "toys.fresh.lab", device_id: other.deviceId })).toMatchObject({
    verdict: "block",
  });
  await end(pause);
  expect(await both()).toEqual([true, true]);
});

test("a pause of filtering ends to the minute while the daemon is dead, and another device is blocked all the time", async () => {
  const { id, expires_at } = await start({ type: "filtering", source_type: "device", source_value: "d1" });
  await it.topology.kill();
  const endsAt = Date.parse(expires_at);
  expect(await both()).toEqual([false, true]);
  await sleep(Math.max(0, endsAt - 8000 - Date.now()));
  expect(await both()).toEqual([false, true]);
  await until("the device is blocked again", async () => blocked(child), 60);
  const lateSec = (Date.now() - endsAt) / 1000;
  process.stdout.write(`pause: filtering without a daemon, ${lateSec.toFixed(1)} s after the end\n`);
  recordFigure({ name: "end of a pause of filtering without a daemon, after its time", value: lateSec, unit: "s" });
  expectWithin(1, { "a blocked answer after the end": lateSec });
  expect(await both()).toEqual([true, true]);
  await it.topology.restart();
  expect(await ok("GET", `/pauses/${id}`)).toMatchObject({ active: false, ended_at: expires_at });
});

test("a pause survives restarts of the daemon and of its resolver with the time that is left, and no more", async () => {
  const { id, expires_at } = await start({ type: "filtering", ...everyone, duration_min: 2 });
  expect(await both()).toEqual([false, false]);
  await it.topology.kill();
  await it.topology.restart();
  expect(await ok("GET", `/pauses/${id}`)).toMatchObject({ active: true, expires_at });
  const [name, processId] = [...it.topology.processes()].find(([program]) => program.startsWith("dnsdist"))!;
  process.kill(processId, "SIGKILL");
  await until(`${name} is back`, async () => (await statusOf(other, "fresh.lab")) === "NOERROR", 30);
  expect(await both()).toEqual([false, false]);
  expect(await ok("GET", "/dns/status")).toMatchObject({ filtering_paused: true });
  const { remaining_sec } = (await ok("GET", `/pauses/${id}`)) as { remaining_sec: number };
  expect(remaining_sec).toBeLessThan(120);
  await end({ id, expires_at });
  expect(await both()).toEqual([true, true]);
  expect(await ok("GET", "/dns/status")).toMatchObject({ filtering_paused: false });
});

test("a domain is blocked, or allowed, for a while: for a group, and not for others; also where filtering is paused", async () => {
  const block = await start({ type: "block-domain", ...group, domain: "games.fresh.lab" });
  const allow = await start({ type: "allow-domain", ...group, domain: "lego.toys.fresh.lab" });
  expect(await both("games.fresh.lab")).toEqual([true, false]);
  expect(await both("lego.toys.fresh.lab")).toEqual([false, true]);
  expect(await ok("POST", "/dns/test", { name: "games.fresh.lab", device_id: child.deviceId })).toMatchObject({
    verdict: "block",
    by: { resource_type: "pause", resource_id: block.id },
  });
  expect(await both()).toEqual([true, true]);
  const pause = await start({ type: "filtering", ...everyone });
  expect(await both()).toEqual([false, false]);
  expect(await both("games.fresh.lab")).toEqual([true, false]);
  for (const one of [pause, allow]) await end(one);
  expect(await both("lego.toys.fresh.lab")).toEqual([true, true]);
  await it.topology.kill();
  await sleep(Math.max(0, Date.parse(block.expires_at) - Date.now()));
  await until("the domain is not blocked any more", async () => !(await blocked(child, "games.fresh.lab")), 10);
  expect(await both("games.fresh.lab")).toEqual([false, false]);
  expect(await both()).toEqual([true, true]);
  await it.topology.restart();
});
