import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type Resolver, startResolver } from "../resolvers.ts";
import { type Client, gatewayAddress, openDnsTopology, type DnsTopology } from "../topology-dns.ts";

/* Status reports of the API while something is wrong, on a live gateway. */
let lab: Lab;
let it: DnsTopology;
let client: Client;
let unsigned: Resolver;

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab);
  unsigned = await startResolver(it.topology.net, it.world, "r3", { isSigned: false });
  client = await it.client("d1", "direct");
  await it.topology.apply();
  await until("queries are answered", async () => (await rcode(`q.${client.domain}`)) === "NOERROR", 30);
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  unsigned?.[Symbol.dispose]();
  await lab?.[Symbol.asyncDispose]();
});

const ok = <T>(method: string, path: string, body?: object) => it.topology.api.ok(method, path, body) as Promise<T>;
const rcode = async (name: string) => (await client.query(name))?.status;
interface Observation {
  readonly status: string;
  readonly components: readonly { readonly name: string; readonly status: string; readonly message: string }[];
}
const component = async (name: string) =>
  (await ok<Observation>("GET", "/observer")).components.find((one) => one.name === name)!;

test("DNSSEC: one bogus domain is no failure; an upstream without signatures is, and the command that is named mends it", async () => {
  // The control, and long enough for the count of bogus answers to be read.
  expect(await rcode("forged.lab")).toBe("SERVFAIL");
  const startedMs = performance.now();
  await until(
    "a whole round has passed, and DNS is well",
    async () => {
      expect(await component("dns")).toMatchObject({ status: "ok" });
      return performance.now() - startedMs > 17_000;
    },
    60,
  );
  const forwarder = { name: "home router", address: unsigned.site.v4, protocol: "plain" };
  const { id } = await ok<{ id: string }>("POST", "/dns/forwarders", forwarder);
  await until(
    "every name fails",
    async () => {
      // What was validated before would be answered from the cache for a minute.
      await ok("POST", "/dns/cache/flush");
      return (await rcode("signed.lab")) === "SERVFAIL";
    },
    30,
  );
  let queries = 0;
  await until(
    "DNS has failed",
    async () => {
      await rcode(`${(queries += 1)}.signed.lab`);
      return (await component("dns")).status === "failed";
    },
    60,
  );
  expect((await component("dns")).message).toContain(`portcullis dns configure '{"dnssec": false}'`);
  expect(await ok("GET", "/health")).toEqual({ status: "failed" });
  expect(await ok("GET", "/status")).toMatchObject({ health: "failed" });
  expect(await ok("GET", "/dns/status")).toMatchObject({ status: "failed" });
  await ok("PUT", "/dns/options", { dnssec: false });
  await until("names are answered", async () => (await rcode(`${(queries += 1)}.signed.lab`)) === "NOERROR", 20);
  await until("DNS is well", async () => (await component("dns")).status === "ok", 30);
  await ok("DELETE", `/dns/forwarders/${id}`);
  await ok("PUT", "/dns/options", { dnssec: true });
  await until("signatures are checked again", async () => (await rcode("forged.lab")) === "SERVFAIL", 20);
});

test("filtering that is switched off is seen in /health, and so is that it is on again", async () => {
  expect(await component("filter")).toMatchObject({ status: "ok" });
  await ok("PUT", "/dns/options", { filtering_enabled: false });
  await until("the filter is off", async () => (await component("filter")).status === "degraded", 10);
  expect((await ok<Observation>("GET", "/health")).status).not.toBe("ok");
  await ok("PUT", "/dns/options", { filtering_enabled: true });
  await until("the filter is on", async () => (await component("filter")).status === "ok", 10);
});

interface Seen {
  readonly mac: string;
  readonly last_seen: string | null;
}
interface Discovered extends Seen {
  readonly addresses: readonly { readonly address: string }[];
}

test("a device on the LAN that was never made is listed as unknown until it is, and then has the time it was seen", async () => {
  const guest = await it.topology.net.device("guest", 9);
  const unknown = async () =>
    (await ok<Discovered[]>("GET", "/devices/discovered?known=false")).find(({ mac }) => mac === guest.mac);
  expect(await unknown()).toBeUndefined();
  await guest.run("ping", "-c", "1", gatewayAddress.v4);
  await until("it is listed", async () => (await unknown()) !== undefined, 10);
  expect((await unknown())!.addresses.map(({ address }) => address)).toContain("10.0.0.10");
  expect(Date.parse((await unknown())!.last_seen!)).toBeGreaterThan(Date.now() - 60_000);
  const made = await ok<{ id: string } & Seen>("POST", "/devices", { name: "guest", mac: guest.mac });
  expect(await unknown()).toBeUndefined();
  expect(Date.parse(made.last_seen!)).toBeGreaterThan(Date.now() - 60_000);
  expect(await ok<Seen>("GET", `/devices/${client.deviceId}`)).toMatchObject({ last_seen: expect.any(String) });
});

interface Row {
  readonly name: string;
  readonly verdict: string;
  readonly cause: { readonly name: string } | null;
}

test("DNS log: every blocked answer names the entry that blocked it, while rules change between answers", async () => {
  const blocked = Array.from({ length: 25 }, (_, index) => `b${String(index).padStart(2, "0")}.${client.domain}`);
  // Each new entry comes before those there are, so that every change moves all of them.
  for (const [index, domain] of blocked.toReversed().entries()) {
    const change = ok("POST", "/dns/blocklist", { domain });
    await Promise.all(blocked.toReversed().slice(0, index).map(rcode));
    await change;
    await until("it is blocked", async () => (await rcode(domain)) === "NXDOMAIN", 10);
  }
  const rows = async () =>
    (await ok<Row[]>("GET", "/dns/log?verdict=block&limit=1000")).filter(({ name }) => blocked.includes(name));
  await until("the last answer is in the log", async () => (await rows()).some(({ name }) => name === blocked[0]), 10);
  const all = await rows();
  expect(all.length).toBeGreaterThan(200);
  expect(all.filter(({ name, cause }) => cause?.name !== name && cause?.name !== "rule since changed")).toEqual([]);
  expect(all.filter(({ name, cause }) => cause?.name === name).length).toBeGreaterThan(all.length * 0.9);
});
