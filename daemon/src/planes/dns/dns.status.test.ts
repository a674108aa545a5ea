import { because, reported } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { compiledFrom } from "../../../../testing/compiled.ts";
import { allUp, forwarder, namesWith, policy, tunnel, vpn } from "../../../../testing/intent.ts";
import type { Compiled } from "../inputs.ts";
import type { DnsResources } from "../../compiler/input/read-dns.ts";
import { causeIn, dnsStatus } from "./dns.status.ts";
import type { FrontendStatistics } from "../../engines/dnsdist/dnsdist.parse.ts";
import type { Signatures } from "../../engines/unbound/dnssec.ts";
import type { DnsPlane } from "./dns.plane.ts";

const tv = {
  id: "tv",
  name: "TV",
  mac: "02:00:00:00:00:07",
  ips: [],
  group_ids: [],
  privacy_class: "quiet",
  trust_class: null,
};
const block = (id: string, domain: string, source_value = "") => ({
  id,
  domain,
  note: "",
  source_type: source_value === "" ? "everyone" : "device",
  source_value,
});
const tunnels = [tunnel("nl")];
const home = { name: "home.lan", serial: 1, ttlSec: 60, records: [] };

/** The television leaves by a tunnel, all other devices by the uplink. */
const site = compiledFrom(
  {
    tunnels,
    devices: [{ id: "tv", mac: tv.mac, ips: [], groupIds: [], requiresTunnel: false }],
    policies: [policy("p", { sourceType: "device", sourceValue: "tv", hops: vpn("nl") })],
    dns: namesWith({
      forwarders: [forwarder("quad"), forwarder("work", { domains: ["work.test"] })],
      zones: [{ zone: home, isFilled: false }],
    }),
  },
  {
    observed: {
      links: [
        { name: "lan0", up: true, addresses: ["10.0.0.1"], networks: ["10.0.0.0/24"] },
        { name: "wan0", up: true, addresses: ["203.0.113.2"] },
        { name: "wg-nl", up: true, addresses: ["10.9.0.2"] },
      ],
      conditions: allUp(tunnels),
    },
    resources: {
      device: [tv],
      privacy_class: [{ id: "quiet", log_level: "none" }],
      dns_block_entry: [block("b1", "ads.test"), block("b2", "toys.test", "tv")],
      dns_rewrite: [
        { id: "r", domain: "nas.test", match: "exact", answer: "A", value: "10.0.0.8", enabled: true, ...everyone() },
      ],
    } as unknown as DnsResources,
    neighbours: [{ mac: tv.mac, address: "10.0.0.7" }],
  },
);

function everyone() {
  return { source_type: "everyone", source_value: "" };
}

const silent: FrontendStatistics = { servers: [], cache: { entries: 0, hits: 0, misses: 0 } };

interface World {
  readonly compiled?: Compiled | undefined;
  readonly program?: "running" | "broken";
  readonly statistics?: FrontendStatistics;
  readonly flushed?: unknown[];
  readonly signatures?: Signatures;
  readonly failures?: Readonly<Record<string, string>>;
  /** Why the console of dnsdist cannot be used. */
  readonly refusal?: Error;
}

function readings({
  compiled = site,
  program = "running",
  statistics = silent,
  flushed = [],
  signatures = "valid",
  failures = {},
  refusal,
}: World = {}) {
  const state = { kind: program, name: "", problem: program === "broken" ? reported("it died") : null };
  const resolving = {
    latest: () => compiled.dns,
    built: () => ({ names: 10, bytes: 1000 }),
    clock: { ignoresDates: () => false },
    signatures: { of: () => signatures },
    lists: {
      states: () => [{ id: "ads", entries: 5, skipped: 1, bytes: 70, readAt: new Date(0), problem: null }],
      lookup: () => undefined,
    },
    engines: {
      dnsdist: {
        states: () => [state],
        statistics: async () => statistics,
        cache: async () => {
          if (refusal) throw refusal;
          return { count: 2, entries: [{ name: "a.test", type: "A", rcode: 3, ttlSec: 9 }] };
        },
        flush: async (_: unknown, pattern?: string) =>
          pattern === undefined ? { kind: "all" } : { kind: "names", names: [pattern] },
      },
      dnsProxy: { failures: () => new Map(Object.entries(failures)) },
      unbound: { states: () => [state], flush: async (what: unknown) => void flushed.push(what) },
    },
  } as unknown as DnsPlane;
  return dnsStatus({
    plane: resolving,
    compiled: () => compiled,
    device: (address) => (address === "10.0.0.7" ? tv : undefined),
    zoneId: (name) => `id of ${name}`,
    log: () => ({ rows: 1, dropped: 0 }),
  });
}

const ask = (name: string, address: string | null = "10.0.0.99") => readings().test({ name, type: "A", address });

test("DNS tester: applies rules for everyone, and those of the device at its current address", async () => {
  expect(await ask("x.ads.test")).toMatchObject({
    verdict: "block",
    by: { kind: "rule", resource_type: "dns_block_entry", resource_id: "b1" },
    log: "full",
  });
  expect(await ask("toys.test")).toMatchObject({ verdict: "none", by: null });
  expect(await ask("toys.test", "10.0.0.7")).toMatchObject({
    verdict: "block",
    by: { resource_id: "b2" },
    log: "none",
  });
  expect(await ask("nas.test", null)).toMatchObject({
    verdict: "rewrite",
    answers: [{ type: "A", value: "10.0.0.8" }],
  });
});

test("DNS tester: reports the egress and the upstream resolvers of a query", async () => {
  expect(await ask("free.test")).toMatchObject({ egress: { name: "direct", status: "up" }, forwarder_ids: ["quad"] });
  expect(await ask("free.test", "10.0.0.7")).toMatchObject({ egress: { name: "wg-nl", status: "up" } });
  expect(await ask("pc.work.test")).toMatchObject({ forwarder_ids: ["work"] });
  expect(await ask("nas.home.lan")).toMatchObject({ zone_id: "id of home.lan", forwarder_ids: [] });
});

test("DNS status: a device has its observed address", () => {
  expect([readings().seenAt("tv"), readings().seenAt("ghost")]).toEqual(["10.0.0.7", undefined]);
});

test("DNS status: an upstream that is down has the last failure of the DNS proxy, one that is up has none", async () => {
  const server = { name: "quad", latencyMs: 1, queries: 5, drops: 0, outstanding: 0 };
  const failures = { quad: "the server does not support HTTP/2" };
  const reasonOf = async (isUp: boolean, known: World["failures"] = failures) => {
    const statistics = { ...silent, servers: [{ ...server, isUp }] };
    return (await readings({ statistics, failures: known }).status()).egresses[1]!.upstreams[0]!.reason;
  };
  expect([await reasonOf(false), await reasonOf(true), await reasonOf(false, {})]).toEqual([failures.quad, "", ""]);
});

test("DNS status: a resolver runs when one of its upstreams answers; else the reason is reported", async () => {
  const server = { name: "quad", isUp: true, latencyMs: 12.34, queries: 5, drops: 0, outstanding: 0 };
  const { status, egresses } = await readings({ statistics: { ...silent, servers: [server] } }).status();
  expect(status).toBe("running");
  expect(egresses.map(({ egress, status: of }) => [egress, of])).toEqual([
    ["none", "running"],
    ["direct", "running"],
    ["wg-nl", "running"],
  ]);
  expect(egresses[1]!.upstreams).toMatchObject([{ name: "quad", status: "up", rtt_ms: 12.34, queries: 5 }]);
  expect(await readings().status()).toMatchObject({
    status: "failed",
    reason: "direct: no upstream resolver answers (192.0.2.53): `portcullis forwarders` lists and changes them",
  });
  expect(await readings({ program: "broken" }).status()).toMatchObject({
    status: "failed",
    reason: "none: it died",
    coded_reason: { code: "dns_part", params: { part: "none", why: reported("it died") } },
  });
});

const quad = { name: "quad", isUp: true, latencyMs: 1, queries: 5, drops: 0, outstanding: 0 };

test.each([
  ["stripped", "failed", /return no signatures.*`portcullis dns configure '{"dnssec": false}'`/],
  ["some", "degraded", /part of the queries.*`portcullis dns configure/],
  ["unverified", "failed", /do not match the trust anchor.*`portcullis dns configure/],
] as const)(
  "DNS status: upstreams whose signatures are %s are %s, and the reason names the command",
  async (signatures, word, sentence) => {
    const { status, reason } = await readings({ signatures, statistics: { ...silent, servers: [quad] } }).status();
    expect(status).toBe(word);
    expect(reason).toMatch(sentence);
  },
);

/** The television behind a tunnel whose file names a resolver. */
const behindResolver = (isUp: boolean) => {
  const named = [tunnel("nl", { resolvers: ["10.9.0.1"] })];
  return compiledFrom(
    {
      tunnels: named,
      devices: [{ id: "tv", mac: tv.mac, ips: [], groupIds: [], requiresTunnel: false }],
      policies: [policy("p", { sourceType: "device", sourceValue: "tv", hops: vpn("nl") })],
      dns: namesWith({ forwarders: [forwarder("quad")] }),
    },
    {
      observed: {
        links: [
          { name: "lan0", up: true, addresses: ["10.0.0.1"], networks: ["10.0.0.0/24"] },
          { name: "wan0", up: true, addresses: ["203.0.113.2"] },
          { name: "wg-nl", up: true, addresses: ["10.9.0.2"] },
        ],
        conditions: isUp ? allUp(named) : { "id of nl": { isUp: false, reason: because("program_silent") } },
      },
    },
  );
};

test("DNS status: a tunnel's resolver that does not answer fails the egress and names the command; if the tunnel is down, that is the reason", async () => {
  const world = { statistics: { ...silent, servers: [quad] } };
  const statusOf = async (isUp: boolean) =>
    (await readings({ ...world, compiled: behindResolver(isUp) }).status()).egresses.find(
      (it) => it.egress === "wg-nl",
    );
  expect(await statusOf(true)).toMatchObject({
    status: "failed",
    upstreams: [{ address: "10.9.0.1", status: "down" }],
  });
  expect((await statusOf(true))?.reason).toContain(`\`portcullis dns configure '{"tunnel_resolvers": "ignore"}'\``);
  expect(await statusOf(false)).toMatchObject({
    status: "degraded",
    reason: expect.stringContaining("the egress is down"),
  });
});

test("DNS cache: a flush removes the entries of every frontend and of its validator", async () => {
  const flushed: unknown[] = [];
  expect(await readings({ flushed }).flush("a.test")).toBe(4);
  expect(flushed).toEqual([
    { kind: "name", name: "a.test" },
    { kind: "name", name: "a.test" },
  ]);
  expect(await readings().cache({ limit: 1, pattern: null })).toEqual([
    { egress: "direct", name: "a.test", type: "A", rcode: "NXDOMAIN", ttl_sec: 9 },
  ]);
});

test("DNS cache: a flush while dnsdist starts empties the validator; any other failure is reported as one of dnsdist", async () => {
  const flushed: unknown[] = [];
  const refusal = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  expect(await readings({ flushed, refusal }).flush("a.test")).toBe(0);
  expect(flushed).toEqual([{ kind: "all" }, { kind: "all" }]);
  await expect(readings({ refusal: new Error("it is silent") }).flush(null)).rejects.toMatchObject({
    code: "engine_failed",
    details: { engine: "dnsdist", reason: "it is silent" },
  });
});

test("DNS lists: the memory of a list is its share of all entries", () => {
  expect(readings().lists().get("ads")).toMatchObject({
    entries: 5,
    memory_bytes: 500,
    problem: "",
    coded_problem: null,
  });
});

test("DNS log: names the rule or list that decided", () => {
  const nameOf = (kind: string, id: string) => `${kind} named ${id}`;
  const places = [0, 1, 2, 3].map(
    (index) => causeIn(site.dns.filterPolicy, { kind: "rule", index }, nameOf)?.resource_id,
  );
  expect(new Set(places)).toEqual(new Set(["b1", "b2", "r", undefined]));
  expect(causeIn(site.dns.filterPolicy, { kind: "rule", index: places.indexOf("b1") }, nameOf)).toEqual({
    resource_type: "dns_block_entry",
    resource_id: "b1",
    name: "dns_block_entry named b1",
  });
  expect(causeIn(site.dns.filterPolicy, { kind: "list", bit: 3 }, nameOf)).toBeUndefined();
});
