import { type Setting, type StringSetting, stringSettings } from "@portcullis/contract/subsystems/settings";
import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

const find = (settings: readonly Setting[], key: string) => settings.find((it) => it.key === key);

test("settings: one list shows the bootstrap file, its defaults and the stored settings, each key once", async () => {
  await using gateway = await startGateway({ config: { network: { default_egress: "block" } } });
  const settings = await gateway.client.settings.list();
  const keys = settings.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toEqual(expect.arrayContaining(["listen.api_addr", "log.level", ...Object.keys(stringSettings)]));
  expect(find(settings, "network.default_egress")).toMatchObject({
    value: "block",
    source: "bootstrap",
    writable: false,
  });
  expect(find(settings, "log.level")).toMatchObject({ value: "info", source: "default", writable: false });
  expect(find(settings, "webhook_url")).toMatchObject({
    value: null,
    is_set: false,
    source: "default",
    writable: true,
    secret: true,
  });
  expect(find(settings, "ai_ollama_url")).toMatchObject({
    writable: false,
    description: expect.stringContaining("Not supported yet"),
  });
  for (const setting of settings)
    expect(await gateway.client.settings.get({ params: { key: setting.key } })).toEqual(setting);
});

test("settings: a setting is stored and removed, and lives through a restart", async () => {
  await using before = await startGateway();
  const params = { key: "pq_crypto_mode" };
  const set = await before.client.settings.put({ params, body: { value: "default" } });
  expect(set).toMatchObject({ key: "pq_crypto_mode", value: "default", is_set: true, source: "store" });

  await using gateway = await before.restart();
  const { settings, audit } = gateway.client;
  expect(await settings.get({ params })).toEqual(set);
  expect(await settings.remove({ params })).toMatchObject({ value: null, is_set: false, source: "default" });
  expect(await settings.remove({ params })).toMatchObject({ value: null, is_set: false });
  expect((await audit.list()).items.map(({ action, resource_id }) => `${action} ${resource_id}`)).toEqual([
    "delete_setting pq_crypto_mode",
    "update_setting pq_crypto_mode",
  ]);
});

test.each(
  Object.entries(stringSettings as Record<string, StringSetting>).filter(([, { acceptedValues }]) => acceptedValues),
)(
  "settings: the setting %s, which nothing reads, takes no value that would ask for something, and can be removed",
  async (key, { allowedValues = ["x"], acceptedValues = [] }) => {
    await using gateway = await startGateway();
    const refusedWords = allowedValues.filter((word) => !acceptedValues.includes(word));
    for (const value of refusedWords)
      for (const [path, body] of [
        [`/settings/${key}`, { value }],
        ["/settings", { [key]: value }],
      ] as const) {
        const refused = await gateway.request("PUT", path, { body });
        expect(refused.status).toBe(501);
        expect(refused.json().error).toMatchObject({ code: "not_supported", details: { key } });
      }
    expect(await gateway.client.settings.remove({ params: { key } })).toMatchObject({ is_set: false, writable: false });
  },
);

test("settings: when one of several is wrong, none changes", async () => {
  await using gateway = await startGateway();
  const before = await gateway.client.settings.list();
  for (const [body, status] of [
    [{ pq_crypto_mode: "sometimes" }, 400],
    [{ pq_crypto_mode: "default", node_id: "other" }, 409],
    [{ pq_crypto_mode: "default", nonsense: "x" }, 400],
    [{ pq_crypto_mode: "default", webhook_url: "https://a.example", ai_ollama_url: "x" }, 501],
    [{ pq_crypto_mode: "default", webhook_url: "a.example" }, 400],
    [{ webhook_url: "https://a.example", telegram_bot_token: "no token" }, 400],
    [{ pq_crypto_mode: "default", telegram_chat_id: 5 }, 400],
    [{ webhook_url: "two\nlines" }, 400],
  ] as const)
    expect((await gateway.request("PUT", "/settings", { body })).status).toBe(status);
  expect(await gateway.client.settings.list()).toEqual(before);
  expect((await gateway.client.audit.list()).items).toEqual([]);
});

test("settings: keys of the bootstrap file cannot be written, and the answer says where they change", async () => {
  await using gateway = await startGateway();
  const bootstrap = (await gateway.client.settings.list()).filter(({ key }) => !(key in stringSettings));
  expect(bootstrap.length).toBeGreaterThan(20);
  for (const { key, writable } of bootstrap) {
    expect(writable).toBe(false);
    for (const [method, body] of [["PUT", { value: "x" }], ["DELETE"]] as const) {
      const refused = await gateway.request(method, `/settings/${key}`, body ? { body } : {});
      expect(refused.status).toBe(409);
      expect(refused.json().error).toMatchObject({
        code: "conflict",
        message: expect.stringContaining("bootstrap file"),
        details: { key },
      });
    }
  }
  expect((await gateway.client.settings.list()).filter(({ key }) => !(key in stringSettings))).toEqual(bootstrap);
});

test("settings: API keys of the bootstrap file are shown by name, never by value", async () => {
  const api_keys = ["a-key-that-is-never-shown", { key: "another-secret-key-0001", role: "viewer", name: "dashboard" }];
  await using gateway = await startGateway({ config: { auth: { api_keys } } });
  const { text } = await gateway.request("GET", "/settings");
  expect(text).not.toContain("a-key-that-is-never-shown");
  expect(text).not.toContain("another-secret-key-0001");
  expect((await gateway.client.settings.get({ params: { key: "auth.api_keys" } })).value).toEqual([
    { name: "bootstrap-1", role: "admin" },
    { name: "dashboard", role: "viewer" },
  ]);
});

test("settings: an unknown key is not found", async () => {
  await using gateway = await startGateway();
  for (const key of ["nonsense", "constructor", "log", "log.levels", "secrets_passphrase", "secrets_mode"])
    for (const [method, body] of [["GET"], ["PUT", { value: "x" }], ["DELETE"]] as const) {
      const missing = await gateway.request(method, `/settings/${key}`, body ? { body } : {});
      expect(missing.status).toBe(404);
      const meant = key === "log.levels" ? "log.level" : undefined;
      expect(missing.json()).toMatchObject({
        error: {
          code: "not_found",
          message: expect.stringMatching(/^No setting has this key/),
          details: { key, ...(meant !== undefined && { did_you_mean: meant }) },
        },
      });
    }
});

test("settings: the passphrase of the secrets is in no answer", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const passphrase = "correct horse battery staple";
  await client.secrets.setPassphrase({ body: { passphrase } });
  const { text } = await gateway.request("GET", "/settings");
  expect(text).not.toContain("passphrase");
  expect(text).not.toContain(passphrase);
  expect((await gateway.request("GET", "/settings/secrets_passphrase")).status).toBe(404);
  const refused = await gateway.request("PUT", "/settings", { body: { secrets_passphrase: "mine" } });
  expect(refused.status).toBe(400);
  for (const { id } of (await client.snapshots.list()).items)
    expect((await gateway.request("GET", `/snapshots/${id}`)).text).not.toContain(passphrase);
});

test("settings: the node's id can be read and never written, and stays through rollback and restart", async () => {
  await using before = await startGateway();
  const params = { key: "node_id" };
  const { value } = await before.client.settings.get({ params });
  expect(value).toMatch(/^[0-9a-f-]{36}$/);
  for (const [method, body] of [["PUT", { value: "other" }], ["DELETE"]] as const) {
    const refused = await before.request(method, "/settings/node_id", body ? { body } : {});
    expect(refused.status).toBe(409);
    expect(refused.json().error).toMatchObject({ code: "conflict", message: "This setting is read-only" });
  }
  await before.client.settings.put({ params: { key: "pq_crypto_mode" }, body: { value: "default" } });
  await before.client.snapshots.rollback({ body: { snapshot: "1" } });
  await using gateway = await before.restart();
  expect(await gateway.client.settings.get({ params })).toMatchObject({ value, writable: false });
});

test("settings: a setting with words of its own takes no others", async () => {
  await using gateway = await startGateway();
  const { settings } = gateway.client;
  const params = { key: "pq_crypto_mode" };
  expect((await settings.put({ params, body: { value: "default" } })).value).toBe("default");
  for (const value of ["", "REQUIRED", "sometimes"]) {
    const refused = await gateway.request("PUT", "/settings/pq_crypto_mode", { body: { value } });
    expect(refused.status).toBe(400);
    expect(refused.json().error.details).toEqual({
      key: "pq_crypto_mode",
      allowed: ["default", "preferred", "required"],
    });
  }
  expect((await settings.get({ params })).value).toBe("default");
});

test("settings: an unknown key among several gets a suggestion", async () => {
  await using gateway = await startGateway();
  const refused = await gateway.request("PUT", "/settings", { body: { webhok_url: "x" } });
  expect(refused.json().error.details.fields).toEqual([
    { field: "body.webhok_url", problem: "is not a known field", did_you_mean: "webhook_url" },
  ]);
});

test("settings: a rollback brings settings back", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const params = { key: "pq_crypto_mode" };
  await client.settings.put({ params, body: { value: "preferred" } });
  await client.settings.remove({ params });
  await client.snapshots.rollback({ body: { snapshot: "2" } });
  expect((await client.settings.get({ params })).value).toBe("preferred");
});

test("settings: the webhook and the bot are alert channels, whichever of the two is changed, and no answer has their values", async () => {
  await using gateway = await startGateway();
  const { settings, alertChannels, alertWebhook, audit } = gateway.client;
  const isSet = async (key: string) => (await settings.get({ params: { key } })).is_set;
  const url = "https://receiver.example/T0ken";
  await settings.update({ body: { webhook_url: url, telegram_chat_id: "-100123" } });
  expect(await alertChannels.get({ params: { id: "webhook" } })).toMatchObject({ type: "webhook", url, enabled: true });
  const channel = await alertChannels.get({ params: { id: "telegram" } });
  expect(channel).toMatchObject({ type: "telegram", chat_id: "-100123", enabled: false, has_secret: false });
  await settings.put({ params: { key: "telegram_bot_token" }, body: { value: "123456:T0kenOfTheBot" } });
  expect(await alertChannels.get({ params: { id: channel.id } })).toMatchObject({ enabled: true, has_secret: true });
  expect((await gateway.request("GET", "/settings")).text).not.toMatch(/T0ken|-100123/);
  expect((await gateway.request("GET", "/audit")).text).not.toContain("T0kenOfTheBot");
  expect((await audit.list()).items.slice(0, 3).map((it) => `${it.action} ${it.resource_type}`)).toEqual([
    "update_setting alert_channel",
    "update_settings alert_channel",
    "update_settings alert_channel",
  ]);

  expect(await alertWebhook.get()).toMatchObject({ url, enabled: true, has_secret: false });
  await alertWebhook.put({ body: { url: "https://other.example", severities: ["critical"], secret: "signed" } });
  expect(await alertWebhook.get()).toMatchObject({ url: "https://other.example", has_secret: true });
  await alertChannels.update({ params: { id: "webhook" }, body: { enabled: false } });
  expect(await alertWebhook.get()).toMatchObject({ enabled: false, severities: ["critical"] });

  await settings.remove({ params: { key: "telegram_chat_id" } });
  expect(await alertChannels.get({ params: { id: "telegram" } })).toMatchObject({ enabled: false, has_secret: true });
  await settings.update({ body: { telegram_bot_token: null, webhook_url: null } });
  expect((await alertChannels.list()).items).toEqual([]);
  for (const key of ["webhook_url", "telegram_chat_id", "telegram_bot_token"]) expect(await isSet(key)).toBe(false);
  expect(await alertWebhook.get()).toMatchObject({ id: null, url: null, enabled: false });
  expect((await gateway.request("POST", "/alerts/webhook/test")).status).toBe(404);
});

test("settings: no other alert channel can have the name of the webhook or the bot, in any case", async () => {
  await using gateway = await startGateway();
  const { alertChannels, settings } = gateway.client;
  const ntfy = { type: "ntfy", topic: "alerts" } as const;
  for (const name of ["webhook", "WebHook", " Telegram"])
    expect((await gateway.request("POST", "/alert-channels", { body: { ...ntfy, name } })).status).toBe(400);
  const { id } = await alertChannels.create({ body: { ...ntfy, name: "phone" } });
  expect((await gateway.request("PUT", `/alert-channels/${id}`, { body: { name: "Webhook" } })).status).toBe(400);
  const made = await alertChannels.create({ body: { name: "WEBHOOK", type: "webhook", url: "https://a.example" } });
  await settings.put({ params: { key: "webhook_url" }, body: { value: "https://b.example" } });
  expect(await alertChannels.get({ params: { id: made.id } })).toMatchObject({
    name: "WEBHOOK",
    url: "https://b.example",
  });
});
