import { because, explained } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

test("DNS: a plane that does not run says so, and what it would be like", async () => {
  await using gateway = await startGateway({
    config: { dns: { listen_addr: "192.168.1.1:53", upstream_mode: "dot" } },
  });
  expect(await gateway.client.dns.status()).toEqual({
    status: "off",
    ...explained(because("dataplane_off")),
    listen_addr: "192.168.1.1:53",
    backend: "integrated",
    filtering_enabled: true,
    upstream_mode: "dot",
    rotation: "round-robin",
    dnssec: { enabled: true, dates_ignored: false },
    egresses: [],
    lists: { names: 0, built_at: null, bytes: 0 },
    filtering_paused: false,
    log: { rows: 0, dropped: 0 },
  });
});

test("DNS options: each has its default until it is set", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const defaults = {
    filtering_enabled: true,
    rate_limit_qps: 200,
    rebinding_protection: true,
    rebinding_allowed: [],
    dnssec: true,
    tunnel_resolvers: "only",
    log_rows_kept: 1_000_000,
  };
  expect(await client.dnsOptions.get()).toEqual(defaults);
  const set = { rate_limit_qps: 0, rebinding_allowed: ["Plex.Direct."] };
  const after = { ...defaults, rate_limit_qps: 0, rebinding_allowed: ["plex.direct"] };
  expect(await client.dnsOptions.put({ body: set })).toEqual(after);
  expect(await client.dnsOptions.get()).toEqual(after);
  const reply = await gateway.request("PUT", "/dns/options", { body: { rebinding_allowed: ["a b"] } });
  expect(reply.json().error.details.fields[0].field).toBe("body.rebinding_allowed.0");
});

test("DNS: the cache is listed and flushed by name, or by all that is below one", async () => {
  await using gateway = await startGateway();
  expect(await gateway.client.dns.cache()).toEqual([]);
  expect(await gateway.client.dns.cache({ query: { limit: 5, pattern: "*.example.org" } })).toEqual([]);
  expect(await gateway.client.dns.flush()).toEqual({ flushed: 0 });
  expect(await gateway.client.dns.flush({ body: { pattern: "*.Example.org" } })).toEqual({ flushed: 0 });
  const [entry] = (await gateway.client.audit.list({ query: { action: "flush_dns_cache" } })).items;
  expect(entry!.details).toMatchObject({ pattern: "*.example.org", flushed: 0 });
  const wrong = await gateway.request("GET", "/dns/cache?pattern=a..b");
  expect([wrong.status, wrong.json().error.details.fields[0].field]).toEqual([400, "query.pattern"]);
  expect((await gateway.request("GET", "/dns/cache?limit=0")).status).toBe(400);
  expect((await gateway.request("POST", "/dns/cache/flush", { body: { pattern: "*" } })).status).toBe(400);
});

test("DNS test: needs a name, and at most one client", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  await client.devices.create({ body: { name: "TV", ips: ["192.168.1.7"] } });
  await client.devices.create({ body: { name: "Ghost" } });
  for (const who of [{}, { device_id: "TV" }, { address: "192.168.1.9" }])
    expect(await client.dns.test({ body: { name: "Ads.Example", ...who } })).toMatchObject({
      verdict: "none",
      by: null,
    });
  const field = async (body: object) =>
    (await gateway.request("POST", "/dns/test", { body })).json().error.details.fields[0].field;
  expect(await field({ name: "a b" })).toBe("body.name");
  expect(await field({ name: "a.example", device_id: "Ghost" })).toBe("body.device_id");
  expect(await field({ name: "a.example", device_id: "unknown" })).toBe("body.device_id");
  expect(await field({ name: "a.example", device_id: "TV", address: "192.168.1.7" })).toBe("body.address");
});
