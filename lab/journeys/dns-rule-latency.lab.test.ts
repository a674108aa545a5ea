import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Lab, openLab } from "../namespaces.ts";
import { type DnsClient, startDnsClient } from "../dns-client.ts";
import { type Client, gatewayAddress, openDnsTopology, type DnsTopology } from "../topology-dns.ts";
import { ownSec } from "../../testing/clock.ts";
import { expectWithin, repeatable, until } from "../../testing/deadline.ts";
import { server } from "../topology-devices.ts";

/* A rule holds for the next query. `DNS_RULES=200` is the full size. */
const rounds = Number(process.env["DNS_RULES"] ?? 25);
const limitSec = 0.1;

let lab: Lab;
let it: DnsTopology;
let client: Client;
let other: Client;
/** A process for each query would take longer than what is measured. */
let dnsClient: DnsClient;

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab);
  client = await it.client("d1", "direct");
  other = await it.client("d2", "direct");
  await it.topology.apply();
  dnsClient = await startDnsClient(client.device);
  for (const one of [client, other])
    await until("names are answered", async () => (await one.query("signed.lab"))?.status === "NOERROR", 20);
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const open = { code: 0, answers: [`A ${server.v4}`] };
const blocked = { code: 3, answers: [] };
/** Each kind of rule for a name, with the answer of a client then. */
const kinds = {
  "a rule": {
    path: "/dns/filter-rules",
    body: (name: string) => ({ name, action: "block", match: "suffix", pattern: name }),
    answer: blocked,
  },
  "a regular expression": {
    path: "/dns/filter-rules",
    body: (name: string) => ({ name, action: "block", match: "regex", pattern: `^${name.replaceAll(".", "\\.")}$` }),
    answer: blocked,
  },
  "an entry of the blocklist": {
    path: "/dns/blocklist",
    body: (domain: string) => ({ domain }),
    answer: blocked,
  },
  "a rewrite": {
    path: "/dns/rewrites",
    body: (domain: string) => ({ domain, match: "exact", answer: "A", value: "203.0.113.77" }),
    answer: { code: 0, answers: ["A 203.0.113.77"] },
  },
} as const;

test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  "%s is in force for the next query, also of a cached name, and no longer when it is removed",
  repeatable,
  async (kind) => {
    const { path, body, answer } = kinds[kind];
    const [seconds, wholeSeconds, quietSeconds]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round += 1) {
      const name = `rule${round}.${kind.replaceAll(/\W/g, "-")}.lasting.fresh.lab`;
      await resolve(name); // Looked up; from now on it is in the cache.
      const begun = ownSec();
      expect(await resolve(name)).toEqual(open);
      const sentAt = ownSec();
      quietSeconds.push(sentAt - begun);
      const { id } = (await it.topology.api.ok("POST", path, body(name))) as { id: string };
      seconds.push(await untilAnswered(name, answer));
      wholeSeconds.push(ownSec() - sentAt);
      await it.topology.api.ok("DELETE", `${path}/${id}`);
      seconds.push(await untilAnswered(name, open));
    }
    console.log(
      `rule latency: ${kind}: ${rounds} times: ${spread(seconds)} after the API's answer, ` +
        `${spread(wholeSeconds)} after the request; a query without changes: ${spread(quietSeconds)}`,
    );
    expectWithin(limitSec, { "the slowest change": Math.max(...seconds) });
  },
);

async function resolve(name: string): Promise<object | undefined> {
  const message = { from: "0.0.0.0", to: gatewayAddress.v4, name, type: "A", protocol: "udp" } as const;
  return (await dnsClient.query([message]))[0];
}

/** Seconds until the first query that had this answer, from now. */
async function untilAnswered(name: string, wanted: object): Promise<number> {
  const started = ownSec();
  for (let sentAt = 0; sentAt < 60; ) {
    sentAt = ownSec() - started;
    if (isDeepStrictEqual(await resolve(name), wanted)) return sentAt;
  }
  throw new Error(`${name} is never answered with ${JSON.stringify(wanted)}`);
}

function spread(seconds: readonly number[]): string {
  const sorted = seconds.toSorted((a, b) => a - b).map((it) => (1000 * it).toFixed(0));
  return `half within ${sorted[sorted.length >> 1]} ms, at worst ${sorted.at(-1)} ms`;
}

test("a rule for one device is none for another, and CNAMEs do not lead past a rule", async () => {
  const ok = it.topology.api.ok;
  expect(await client.query("own.lab.fresh.lab")).toMatchObject({ status: "NOERROR" });
  await ok("POST", "/dns/blocklist", {
    domain: "own.lab.fresh.lab",
    source_type: "device",
    source_value: client.deviceId,
  });
  await until(
    "it is blocked for the one",
    async () => (await client.query("own.lab.fresh.lab"))?.status === "NXDOMAIN",
    5,
  );
  expect(await other.query("own.lab.fresh.lab")).toMatchObject({ status: "NOERROR" });
  expect(await other.query("cloaked.lab")).toMatchObject({ status: "NOERROR" });
  await ok("POST", "/dns/blocklist", { domain: "tracker.lab" });
  await until("an alias is blocked", async () => (await other.query("cloaked.lab"))?.status === "NXDOMAIN", 5);
  await ok("POST", "/dns/allowlist", { domain: "cloaked.lab", source_type: "device", source_value: client.deviceId });
  await until("the one may", async () => (await client.query("cloaked.lab"))?.status === "NOERROR", 5);
  expect(await other.query("cloaked.lab")).toMatchObject({ status: "NXDOMAIN", answers: [] });
  expect(await ok("POST", "/dns/test", { name: "tracker.lab", type: "A", device_id: client.deviceId })).toMatchObject({
    verdict: "block",
  });
});
