import { because, explained } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { fakeAdguard } from "../../../../testing/adguard.ts";
import { startGateway } from "../../../../testing/gateway.ts";

const login = { username: "ada", password: "correct horse" };
const inactive = { dns_status: "down", dns_rtt_ms: null };

test("external filter: not configured until it is set", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  expect(await client.dnsExtfilter.status()).toEqual({
    configured: false,
    enabled: false,
    url: null,
    dns_address: null,
    username: null,
    has_password: false,
    reachable: false,
    running: false,
    protection_enabled: false,
    protection_paused_ms: null,
    version: null,
    ...inactive,
    ...explained(because("extfilter_unconfigured")),
  });
  const reply = await gateway.request("POST", "/dns/extfilter/enable");
  expect([reply.status, reply.json().error.details.field]).toEqual([409, "dns_address"]);
  expect((await client.dns.status()).backend).toBe("integrated");
});

test("external filter: its status is read, and its protection is switched on and off", async () => {
  await using gateway = await startGateway();
  await using filter = await fakeAdguard(login);
  const { client } = gateway;
  const set = await client.dnsExtfilter.put({ body: { url: filter.url, dns_address: "127.0.0.1:5353", ...login } });
  expect(set).toMatchObject({
    configured: true,
    enabled: false,
    has_password: true,
    reachable: true,
    running: true,
    protection_enabled: true,
    version: "v0.107.0",
  });
  expect(JSON.stringify(set)).not.toContain(login.password);
  expect((await client.secrets.list()).items).toMatchObject([{ purpose: "dns_extfilter" }]);

  expect(await client.dnsExtfilter.disable()).toMatchObject({ enabled: false, protection_enabled: false });
  expect(await client.dnsExtfilter.enable()).toMatchObject({ enabled: true, protection_enabled: true });
  expect(filter.received.map(({ body }) => body)).toEqual([{ enabled: false }, { enabled: true }]);
  expect((await client.dns.status()).backend).toBe("extfilter");

  Object.assign(filter.state, { protection_enabled: false, protection_disabled_duration: 1500.5 });
  expect(await client.dnsExtfilter.status()).toMatchObject({ protection_enabled: false, protection_paused_ms: 1501 });
  Object.assign(filter.state, { version: undefined });
  expect(await client.dnsExtfilter.status()).toMatchObject({
    reachable: false,
    reason: "Its API: the server is not AdGuard Home",
  });
});

test("external filter: one that does not answer, or not to us, is switched off all the same", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const body = { dns_address: "127.0.0.1", enabled: true };
  {
    await using filter = await fakeAdguard(login);
    await client.dnsExtfilter.put({ body: { ...body, url: filter.url, username: "ada", password: "wrong" } });
    expect((await client.dnsExtfilter.status()).reason).toBe("Its API: it refused the username and password");
    await client.dnsExtfilter.put({ body: { password: login.password } });
    expect(await client.dnsExtfilter.status()).toMatchObject({ reachable: true, dns_address: "127.0.0.1:53" });
  }
  expect(await client.dnsExtfilter.disable()).toMatchObject({
    enabled: false,
    reachable: false,
    reason: "Its API: ECONNREFUSED",
  });
});

test.each([
  ["password", { username: "ada" }],
  ["username", { password: "alone" }],
  ["dns_address", { dns_address: "filter.example:53" }],
  ["dns_address", { dns_address: "192.0.2.5:70000" }],
  ["url", { url: "ftp://192.0.2.5" }],
  ["url", { url: "http://ada:secret@192.0.2.5" }],
])("external filter: a wrong %s is refused by its field", async (field, body) => {
  await using gateway = await startGateway();
  const reply = await gateway.request("PUT", "/dns/extfilter", { body });
  expect([reply.status, reply.json().error?.details.fields[0].field]).toEqual([400, `body.${field}`]);
  expect((await gateway.client.dnsExtfilter.status()).configured).toBe(false);
});

test("external filter: the bootstrap file decides whether it is used, until it is set", async () => {
  await using gateway = await startGateway({ config: { dns: { backend: "extfilter", filtering_enabled: false } } });
  const { client } = gateway;
  expect(await client.dns.status()).toMatchObject({ backend: "extfilter", filtering_enabled: false });
  await client.dnsExtfilter.disable();
  await client.dnsOptions.put({ body: { filtering_enabled: true } });
  expect(await client.dns.status()).toMatchObject({ backend: "integrated", filtering_enabled: true });
});
