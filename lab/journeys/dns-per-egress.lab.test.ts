import { execFile } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queryOnce } from "../dns-load.ts";
import type { SniffedQuery } from "../sniffer.ts";
import { startAuthority, startFilter } from "../dns-servers.ts";
import type { HopServer } from "../topology-hops.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { type Resolver, startResolver } from "../resolvers.ts";
import { type Client, gatewayAddress, openDnsTopology, type DnsTopology, type Status } from "../topology-dns.ts";
import { expectWithin, until } from "../../testing/deadline.ts";
import { server } from "../topology-devices.ts";

/* By which means names are looked up, and what the gateway knows of itself: everything through the API, on a living gateway. */
let lab: Lab;
let it: DnsTopology;
let hop: HopServer;
let clients: { direct: Client; proxied: Client; blocked: Client };
let neighbour: Host;
let bad: { another: Resolver; unknown: Resolver };

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab);
  bad = {
    another: await startResolver(it.topology.net, it.world, "r3", { certificate: "of another" }),
    unknown: await startResolver(it.topology.net, it.world, "r4", { certificate: "untrusted" }),
  };
  hop = await it.topology.proxy("p");
  clients = {
    direct: await it.client("d1", "direct"),
    proxied: await it.client("d2", [hop]),
    blocked: await it.client("d3", "direct"),
  };
  await ok("PUT", `/devices/${clients.direct.deviceId}`, { ips: ["10.0.0.2", "fd00::2"] });
  neighbour = await it.topology.net.device("nb", 8);
  await it.topology.apply();
  await until("names are answered", async () => (await fresh(clients.direct)) === "NOERROR", 30);
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  for (const one of Object.values(bad ?? {})) one[Symbol.dispose]();
  await lab?.[Symbol.asyncDispose]();
});

const ok = <T = Made>(method: string, path: string, body?: object) =>
  it.topology.api.ok(method, path, body) as Promise<T>;
interface Made {
  readonly id: string;
}

let queryCount = 0;
const freshName = ({ domain }: Client) => `q${(queryCount += 1)}.${domain}`;
const fresh = async (client: Client) => (await client.query(freshName(client)))?.status;
/** An upstream is down for a second or two after a health check that a busy machine answers late: the query is repeated. */
const untilAnswered = (client: Client) =>
  until(`${client.name} is answered`, async () => (await fresh(client)) === "NOERROR", 5);
/** Queries by receiver and port. */
const put = (caught: readonly SniffedQuery[]) =>
  [...new Set(caught.filter(({ wire }) => wire === "from-gw").map(({ to, port }) => `${to} ${port}`))].toSorted();

const egressStatus = async (egress: string) =>
  (await ok<Status>("GET", "/dns/status")).egresses.find((one) => one.egress === egress)!;

/** For as long as something is done. */
async function withForwarders<T>(bodies: readonly object[], act: (ids: readonly string[]) => Promise<T>): Promise<T> {
  const ids: string[] = [];
  for (const [index, body] of bodies.entries())
    ids.push((await ok("POST", "/dns/forwarders", { name: `f${index}`, priority: index, ...body })).id);
  try {
    return await act(ids);
  } finally {
    for (const id of ids) await ok("DELETE", `/dns/forwarders/${id}`);
  }
}
const untilUp = (...ids: readonly string[]) =>
  until(
    "the forwarders are up",
    async () => {
      const { upstreams } = await egressStatus("direct");
      return (
        upstreams.length === ids.length && ids.every((id) => upstreams.find(({ name }) => name === id)?.status === "up")
      );
    },
    10,
  );

describe("forwarders", () => {
  test.each([
    ["dot", "by name", 853],
    ["doh", "by name", 443],
    ["dot", "by address", 853],
    ["doh", "by address", 443],
    ["dot", "post-quantum", 853],
    ["doh", "post-quantum", 443],
  ] as const)("%s, %s: queries go there, and none is sent in the clear", async (protocol, how, port) => {
    const [{ site, serverName }] = it.resolvers as [Resolver];
    const server_name = how === "by address" ? null : serverName;
    const forwarder = { address: site.v4, protocol, server_name, post_quantum: how === "post-quantum" };
    await withForwarders([forwarder], async (ids) => {
      await untilUp(...ids);
      await untilAnswered(clients.direct);
      await it.sniffed();
      for (let left = 5; left > 0; left -= 1) await untilAnswered(clients.direct);
      const caught = await it.sniffed();
      // A connection to the one before may still say goodbye.
      expect(put(caught)).toContain(`${site.v4} ${port}`);
      // Whole, so that a failure shows whether a device's query or a health check was sent.
      expect(caught.filter((one) => one.wire === "from-gw" && one.port === 53)).toEqual([]);
      await untilUp(...ids);
      expect((await egressStatus("direct")).upstreams).toMatchObject([{ protocol }]);
    });
  });

  test("in the mode required, an upstream without post-quantum key exchange is down and says why, and a hybrid one is queried", async () => {
    const [{ site, serverName }] = it.resolvers as [Resolver];
    const { cert, key } = it.world.certificate("pq", { names: [serverName], addresses: [], isTrusted: true });
    const ports = { classic: 8853, hybrid: 8854 } as const;
    for (const [kind, port] of Object.entries(ports)) {
      const group = kind === "classic" ? "X25519" : "X25519:X25519MLKEM768";
      const words = [resolve("lab/dot-driver.ts"), String(port), site.v4, group, cert, key];
      await once(site.host.start(process.execPath, ...words).stdout!, "data");
    }
    const upstream = async (id: string) => (await egressStatus("direct")).upstreams.find(({ name }) => name === id);
    const forwarder = (port: number) => ({ address: site.v4, port, protocol: "dot", server_name: serverName });
    try {
      await withForwarders([forwarder(ports.classic)], async ([classic]) => {
        await untilUp(classic!);
        await ok("PUT", "/pq-crypto", { mode: "required" });
        await until(
          "the reason names the mode",
          async () => /pq_crypto_mode "required"/.test((await upstream(classic!))?.reason ?? ""),
          20,
        );
        expect(await upstream(classic!)).toMatchObject({ status: "down" });
        await it.sniffed();
        for (let left = 5; left > 0; left -= 1) expect(await fresh(clients.direct)).toBe("SERVFAIL");
        expect((await it.sniffed()).filter((one) => one.wire === "from-gw" && one.port === 53)).toEqual([]);
        await ok("PUT", "/pq-crypto", { mode: "preferred" });
        await untilUp(classic!);
        expect(await upstream(classic!)).toMatchObject({ reason: "" });
      });
      await ok("PUT", "/pq-crypto", { mode: "required" });
      await withForwarders([forwarder(ports.hybrid)], async (ids) => {
        await untilUp(...ids);
        await untilAnswered(clients.direct);
      });
    } finally {
      await ok("PUT", "/pq-crypto", { mode: "default" });
    }
  });

  test("an upstream with the certificate of another server, or of an untrusted issuer, gets no query", async () => {
    const forwarders = (["dot", "doh"] as const).flatMap((protocol) =>
      Object.values(bad).flatMap(({ site, serverName }) => [
        { address: site.v4, protocol, server_name: serverName },
        { address: site.v4, protocol, server_name: null },
      ]),
    );
    // Their own programs ask them for other types.
    const counts = () => Promise.all(Object.values(bad).map((one) => one.answered("A")));
    const before = await counts();
    await withForwarders(forwarders, async () => {
      await until(
        "all of them are down",
        async () => {
          const { upstreams } = await egressStatus("direct");
          return upstreams.length === forwarders.length && upstreams.every(({ status }) => status === "down");
        },
        20,
      );
      // The previous upstream may be queried until the gateway's resolver has the new settings.
      await until("no other upstream is queried", async () => (await fresh(clients.direct)) === "SERVFAIL", 10);
      await it.sniffed();
      for (let left = 5; left > 0; left -= 1) expect(await fresh(clients.direct)).toBe("SERVFAIL");
      const [{ site, serverName }] = it.resolvers as [Resolver];
      await withForwarders(
        [{ name: "good", address: site.v4, protocol: "dot", server_name: serverName, priority: 9 }],
        () => until("the good one is queried", async () => (await fresh(clients.direct)) === "NOERROR", 10),
      );
      const caught = await it.sniffed();
      expect(caught.filter(({ port, wire }) => port === 53 && wire === "from-gw")).toEqual([]);
      expect(await counts()).toEqual(before);
      // The counters work: a query in the clear is counted.
      await queryOnce(it.topology.net.web, bad.another.site.v4, "signed.lab");
      await until("it is counted", async () => (await counts()).join() !== before.join(), 5);
    });
  });

  test("a domain can have a resolver of its own, and others do not go there", async () => {
    const [, other] = it.resolvers as [Resolver, Resolver];
    await until("the default upstreams are queried", async () => (await fresh(clients.direct)) === "NOERROR", 10);
    await withForwarders([{ address: other.site.v4, domains: ["d7.fresh.lab"] }], async ([id]) => {
      const answerFor = async (domain: string) => {
        await it.sniffed();
        const answer = await clients.direct.query(`c${(queryCount += 1)}.${domain}`);
        return `${answer?.status} ${put((await it.sniffed()).filter((seen) => seen.domain === domain)).join()}`;
      };
      const isThere = `NOERROR ${other.site.v4} 53`;
      // By chance it would be queried every other time.
      await until("it is known", async () => (await queriedInOrder(() => answerFor("d7.fresh.lab"), isThere)) >= 6, 10);
      const expected = `NOERROR ${it.resolvers[0]!.site.v4} 53`;
      await until(
        "other domains are queried elsewhere",
        async () => (await answerFor("d8.fresh.lab")) === expected,
        10,
      );
      const { forwarder_ids } = await ok<{ forwarder_ids: string[] }>("POST", "/dns/test", {
        name: "x.d7.fresh.lab",
        device_id: "d1",
      });
      expect(forwarder_ids).toEqual([id]);
    });
  });

  test("a resolver on the LAN is queried from the LAN, also for devices behind a hop, and no other wire sees it", async () => {
    await startAuthority(neighbour, "corp.lan", "corp 60 A 10.0.0.44\nhost 60 A 10.0.0.45\n");
    await withForwarders([{ address: "10.0.0.9", domains: ["corp.lan"] }], async () => {
      for (const client of [clients.direct, clients.proxied])
        await until(
          `${client.name} is answered`,
          async () => (await client.query("corp.corp.lan"))?.answers[0] === "A 10.0.0.44",
          10,
        );
      await it.sniffed();
      for (const client of [clients.direct, clients.proxied])
        expect(await client.query("host.corp.lan")).toMatchObject({ answers: ["A 10.0.0.45"] });
      expect((await it.sniffed()).filter(({ domain }) => domain?.endsWith("corp.lan"))).toEqual([]);
    });
  });

  test("the rotation decides which upstream is queried", async () => {
    const bodies = it.resolvers.map(({ site }) => ({ address: site.v4 }));
    await withForwarders(bodies, async (ids) => {
      await untilUp(...ids);
      const share = async () => {
        const before = await egressStatus("direct");
        for (let left = 20; left > 0; left -= 1) await fresh(clients.direct);
        const { upstreams } = await egressStatus("direct");
        return ids.map((id) => {
          const answerFor = ({ upstreams: all }: Pick<typeof before, "upstreams">) =>
            all.find(({ name }) => name === id)!.queries;
          return answerFor({ upstreams }) - answerFor(before);
        }) as [number, number];
      };
      const fits: Readonly<Record<string, (first: number, second: number) => boolean>> = {
        failover: (first, second) => first >= 20 && second <= 1,
        "round-robin": (first, second) => first + second >= 20 && Math.abs(first - second) <= 2,
        random: (first, second) => Math.min(first, second) >= 3,
        fastest: (first, second) => Math.max(first, second) >= 17,
      };
      for (const [mode, isFitting] of Object.entries(fits)) {
        await ok("PUT", "/dns/rotation", { mode });
        await until(`they are queried by ${mode}`, async () => isFitting(...(await share())), 20);
        expect(await ok("GET", "/dns/status")).toMatchObject({ rotation: mode });
      }
      // No client is affected by one that is down now.
      const areTimed = async () => (await egressStatus("direct")).upstreams.every(({ rtt_ms }) => (rtt_ms ?? 0) > 0);
      await until("the time of each is known", areTimed, 10);
      await ok("PUT", "/dns/rotation", { mode: "round-robin" });
    });
  });
});

/** How often something was answered like this before it was answered otherwise; six times are enough. */
async function queriedInOrder(ask: () => Promise<string>, wanted: string): Promise<number> {
  for (let count = 0; count < 6; count += 1) if ((await ask()) !== wanted) return count;
  return 6;
}

describe("local zones", () => {
  const record = (name: string, type: string, value: string) =>
    ok("POST", "/dns/records", { zone_id: "home.lan", name, type, value });

  test("records of every kind are answered, to both families, and a change is seen at once", async () => {
    await ok("POST", "/dns/zones", { name: "home.lan", ttl_sec: 3600, fill_from_devices: true });
    const { id } = await record("nas", "A", "10.0.0.50");
    await record("nas", "AAAA", "fd00::50");
    await record("www", "CNAME", "nas");
    await record("out", "CNAME", "signed.lab.");
    await record("@", "MX", "10 nas.home.lan.");
    await record("@", "TXT", '"local zone"');
    await record("_sip._tcp", "SRV", "1 2 5060 nas.home.lan.");
    const ask = async (name: string, type = "A") => (await clients.direct.query(name, type))?.answers;
    await until("all of it is there", async () => (await ask("_sip._tcp.home.lan", "SRV"))?.length === 1, 10);
    expect(await ask("nas.home.lan")).toEqual(["A 10.0.0.50"]);
    expect(await ask("nas.home.lan", "AAAA")).toEqual(["AAAA fd00::50"]);
    expect(await ask("www.home.lan")).toEqual(["CNAME nas.home.lan.", "A 10.0.0.50"]);
    expect(await ask("out.home.lan")).toEqual(["CNAME signed.lab.", `A ${server.v4}`]);
    expect(await ask("home.lan", "MX")).toEqual(["MX 10 nas.home.lan."]);
    expect(await ask("home.lan", "TXT")).toEqual(['TXT "local zone"']);
    expect(await ask("_sip._tcp.home.lan", "SRV")).toEqual(["SRV 1 2 5060 nas.home.lan."]);
    expect(await clients.direct.query("none.home.lan")).toMatchObject({ status: "NXDOMAIN" });
    expect(await queryOnce(clients.direct.device, gatewayAddress.v6, "nas.home.lan")).toMatchObject({
      answers: ["A 10.0.0.50"],
    });
    const seconds: number[] = [];
    for (const last of [51, 52, 53]) {
      await ok("PUT", `/dns/records/${id}`, { value: `10.0.0.${last}` });
      const isSeen = async () => (await ask("nas.home.lan"))?.[0] === `A 10.0.0.${last}`;
      seconds.push(await until("the change is seen", isSeen, 10));
      for (let left = 5; left > 0; left -= 1) expect(await ask("nas.home.lan")).toEqual([`A 10.0.0.${last}`]);
    }
    console.log(`egresses: a changed record is answered after ${(1000 * Math.max(...seconds)).toFixed(0)} ms at worst`);
    expectWithin(1, { "the slowest change of a record": Math.max(...seconds) });
  });

  test("devices have names, and their addresses lead back to them", async () => {
    const ask = async (name: string, type?: string) => (await clients.direct.query(name, type))?.answers[0];
    await until("the device has a name", async () => (await ask("d1.home.lan")) === "A 10.0.0.2", 10);
    expect(await ask("d1.home.lan", "AAAA")).toBe("AAAA fd00::2");
    expect(await ask("2.0.0.10.in-addr.arpa", "PTR")).toBe("PTR d1.home.lan.");
    const nibbles = "2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa";
    expect(await ask(nibbles, "PTR")).toBe("PTR d1.home.lan.");
    await it.sniffed();
    expect(await clients.direct.query("99.0.0.10.in-addr.arpa", "PTR")).toMatchObject({ status: "NXDOMAIN" });
    expect((await it.sniffed()).filter(({ domain }) => domain?.endsWith("arpa"))).toEqual([]);
  });

  test("a blocked device gets answers from local zones only", async () => {
    const { blocked } = clients;
    await until("it is answered", async () => (await fresh(blocked)) === "NOERROR", 10);
    await ok("PUT", `/devices/${blocked.deviceId}`, { state: "quarantined" });
    await until("it is cut off", async () => (await fresh(blocked)) === "SERVFAIL", 10);
    await it.sniffed();
    for (let left = 5; left > 0; left -= 1) expect(await fresh(blocked)).toBe("SERVFAIL");
    expect((await it.sniffed()).filter(({ domain }) => domain === blocked.domain)).toEqual([]);
    expect(await blocked.query("nas.home.lan")).toMatchObject({ status: "NOERROR", answers: ["A 10.0.0.53"] });
    await ok("PUT", `/devices/${blocked.deviceId}`, { state: "known" });
    await until("it is back", async () => (await fresh(blocked)) === "NOERROR", 10);
  });
});

test("behind a SOCKS5 hop DNS queries are sent over TCP by the hop, and on no other wire", async () => {
  const { proxied } = clients;
  await until("it is answered", async () => (await fresh(proxied)) === "NOERROR", 30);
  await it.sniffed();
  for (let left = 10; left > 0; left -= 1) await untilAnswered(proxied);
  expect(await queryOnce(proxied.device, gatewayAddress.v6, freshName(proxied))).toMatchObject({ status: "NOERROR" });
  const caught = (await it.sniffed()).filter(({ domain }) => domain === proxied.domain);
  expect([...new Set(caught.map(({ wire, protocol, from }) => `${wire} ${protocol} ${from}`))]).toEqual([
    `to-p tcp ${hop.site.v4}`,
  ]);
});

test("a filter on the LAN is queried, and queries the gateway; no other host may", async () => {
  const filter = await it.topology.net.device("flt", 7);
  const returning = "18009";
  await startFilter(filter, `${gatewayAddress.v4}:${returning}`);
  const again = (host: Host) => queryOnce(host, gatewayAddress.v4, "signed.lab", "A", "-p", returning, "+timeout=3");
  expect(await again(filter)).toBeUndefined();
  await ok("PUT", "/dns/extfilter", { enabled: true, dns_address: "10.0.0.8:53" });
  const ask = (client: Client, name: string) => client.query(name);
  await until("it filters", async () => (await ask(clients.direct, "filtered.signed.lab"))?.status === "NXDOMAIN", 15);
  await until("it queries the gateway", async () => (await fresh(clients.direct)) === "NOERROR", 10);
  expect((await ok<Status>("GET", "/dns/status")).backend).toBe("extfilter");
  const filterStatus = () => ok<{ enabled: boolean; dns_status: string }>("GET", "/dns/extfilter/status");
  await until("it is reported to be up", async () => (await filterStatus()).dns_status === "up", 10);
  expect(await filterStatus()).toMatchObject({ enabled: true });
  // It gets no queries of devices with other egresses, and no neighbour takes its role.
  expect(await ask(clients.proxied, "filtered.signed.lab")).toMatchObject({ status: "NOERROR" });
  expect(await again(neighbour)).toBeUndefined();
  expect(await again(filter)).toMatchObject({ status: "NOERROR" });
  // It may also be beside us, on the gateway.
  await startFilter(it.topology.net.gateway, `127.0.0.1:${returning}`, "127.0.0.1:5454", "beside.signed.lab");
  await ok("PUT", "/dns/extfilter", { dns_address: "127.0.0.1:5454" });
  await until("that filters", async () => (await ask(clients.direct, "beside.signed.lab"))?.status === "NXDOMAIN", 15);
  await until("that queries the gateway", async () => (await fresh(clients.direct)) === "NOERROR", 10);
  await until("the one before is locked out", async () => (await again(filter)) === undefined, 10);
  await ok("POST", "/dns/extfilter/disable");
  await until("it is left out", async () => (await ask(clients.direct, "beside.signed.lab"))?.status === "NOERROR", 15);
});

test("the gateway reports its queries: status, cache, log, clients, and the command line", async () => {
  const { direct } = clients;
  for (let left = 3; left > 0; left -= 1)
    expect(await direct.query("long.lab")).toMatchObject({ status: "NOERROR", isAuthentic: true });
  const { id } = await ok("POST", "/dns/blocklist", { domain: "tracker.lab" });
  await until("it is blocked", async () => (await direct.query("tracker.lab"))?.status === "NXDOMAIN", 5);
  expect(await direct.query("cloaked.lab")).toMatchObject({ status: "NXDOMAIN" });
  // Every resolver instance, also those without a recent query.
  await until("every resolver runs", async () => (await ok<Status>("GET", "/dns/status")).status === "running", 10);
  const status = await ok<Status>("GET", "/dns/status");
  expect(status).toMatchObject({ backend: "integrated" });
  expect(status.egresses.map(({ egress }) => egress)).toEqual(["none", "direct", "proxy p"]);
  expect((await egressStatus("direct")).cache.hits).toBeGreaterThan(0);
  expect(await ok("GET", "/dns/cache?pattern=long.lab")).toMatchObject([
    { egress: "direct", name: "long.lab", type: "A", rcode: "NOERROR" },
  ]);
  expect(await ok("POST", "/dns/cache/flush", { pattern: "long.lab" })).toEqual({ flushed: 1 });
  expect(await ok("GET", "/dns/cache?pattern=long.lab")).toEqual([]);
  const log = (query: string) => ok<readonly object[]>("GET", `/dns/log?client=10.0.0.2&${query}`);
  await until("it is written down", async () => (await log("name=cloaked.lab")).length > 0, 10);
  expect(await log("name=cloaked.lab")).toMatchObject([
    { client: "10.0.0.2", device_name: "d1", verdict: "cname", rcode: "NXDOMAIN", cause: { resource_id: id } },
  ]);
  expect(await log("name=long.lab&verdict=none")).toMatchObject([
    { answered_by: "cache" },
    { answered_by: "cache" },
    { answered_by: "resolver" },
  ]);
  const known = await ok<readonly { address: string; queries: number }[]>("GET", "/dns/clients");
  expect(known.find(({ address }) => address === "10.0.0.2")).toMatchObject({ device_name: "d1", log_level: "full" });
  expect(JSON.parse(await cli("dns"))).toMatchObject({ backend: "integrated" });
  expect(JSON.parse(await cli("dns", "test", "cloaked.lab", "d1"))).toMatchObject({ verdict: "none" });
  expect(JSON.parse(await cli("dns", "test", "tracker.lab", "d1"))).toMatchObject({ verdict: "block" });
  expect(await cli("dns", "cache")).toContain("direct\t");
  expect(await cli("dns", "log")).toContain("\tcloaked.lab\tcname\tNXDOMAIN\n");
  expect(JSON.parse(await cli("dns", "flush"))).toEqual({ flushed: expect.any(Number) });
  await ok("DELETE", `/dns/blocklist/${id}`);
});

/** As an administrator types it on the gateway. */
const cli = (...words: string[]): Promise<string> =>
  new Promise((done, failed) => {
    const args = ["netns", "exec", it.topology.net.gateway.namespace, process.execPath, resolve("dist/portcullis.mjs")];
    execFile("ip", [...args, ...words], (error, out) => (error ? failed(error) : done(out)));
  });
