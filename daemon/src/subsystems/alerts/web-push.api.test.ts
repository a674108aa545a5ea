import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { because } from "@portcullis/contract/reason";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeCertificate, type MadeCertificate } from "../../../../testing/certificates.ts";
import { until } from "../../../../testing/deadline.ts";
import { alertAt, alertId, folderWith } from "../../../../testing/earlier-state.ts";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { openBrowser } from "../../../../testing/push-browser.ts";
import { openReceiver } from "../../../../testing/receiver.ts";

/* A server in the form of a push service, whose certificate this process trusts. */
const folder = temporaryFolder();
const trusted = getCACertificates("default");
let pair: MadeCertificate;
beforeAll(async () => {
  pair = await makeCertificate(folder.path, "push");
  setDefaultCACertificates([...trusted, pair.cert]);
});
afterAll(() => {
  setDefaultCACertificates(trusted);
  folder[Symbol.dispose]();
});

const reason = because("alert_tunnel_down", { name: "Köln" });
const withAlerts = () =>
  startGateway({ folder: folderWith({ alerts: [1, 2, 3].map((number) => alertAt(Date.now(), number, reason)) }) });
const resolve = (gateway: TestGateway, number: number) =>
  gateway.client.alerts.resolve({ params: { id: alertId(number) } });
const listed = async (gateway: TestGateway) => (await gateway.client.alertDeliveries.list()).items;

test("web push: a browser receives the alert, encrypted for it and signed with the key of the gateway, and its address is in no answer", async () => {
  await using service = await openReceiver(() => ({ status: 201 }), pair);
  await using gateway = await withAlerts();
  const { alertChannels, webPush } = gateway.client;
  const { public_key } = await webPush.key();
  expect(await webPush.key()).toEqual({ public_key });
  const browser = openBrowser(`${service.url}/send/s3cretAddress`, public_key);
  const body = {
    name: "Laptop",
    type: "web_push",
    from: "me@example.net",
    subscription: browser.subscription,
  } as const;
  const made = await alertChannels.create({ body });
  expect(made).toMatchObject({ has_secret: true, enabled: true, ended_at: null });
  await resolve(gateway, 1);
  await until("it is delivered", async () => (await listed(gateway))[0]?.state === "delivered");
  expect(await alertChannels.test({ params: { id: "Laptop" } })).toMatchObject({ accepted: true });
  const [first, second] = service.received;
  expect(first!.url).toBe("/send/s3cretAddress");
  expect(first!.headers).toMatchObject({ "content-encoding": "aes128gcm", ttl: "259200", urgency: "normal" });
  const [delivery] = await listed(gateway);
  expect(JSON.parse(browser.read(first!.bytes))).toMatchObject({
    delivery_id: delivery!.id,
    id: alertId(1),
    event: "resolved",
    title: expect.stringContaining("Resolved"),
    body: expect.stringContaining("tunnel Köln is down"),
  });
  const claims = browser.claimsOf(first!.headers.authorization!);
  expect(claims).toMatchObject({ aud: service.url, sub: "mailto:me@example.net" });
  expect(Math.abs(claims.exp - Date.now() / 1000 - 43_200)).toBeLessThan(600);
  const another = openBrowser(service.url, public_key);
  expect(() => another.read(second!.bytes)).toThrow("authenticate");
  const { auth } = browser.subscription.keys;
  for (const path of ["/alert-channels", "/alert-deliveries", "/audit", "/secrets"]) {
    const { text } = await gateway.request("GET", path);
    expect([path, text.includes("s3cretAddress"), text.includes(auth)]).toEqual([path, false, false]);
  }
});

test.each([404, 410])(
  "web push: an answer %s ends the subscription: the channel is disabled with a note until the browser subscribes again",
  async (status) => {
    let isGone = true;
    await using service = await openReceiver(() => ({ status: isGone ? status : 201 }), pair);
    await using gateway = await withAlerts();
    const { alertChannels, webPush, secrets } = gateway.client;
    const { public_key } = await webPush.key();
    const browser = openBrowser(`${service.url}/send/a`, public_key);
    const { id } = await alertChannels.create({
      body: { name: "Laptop", type: "web_push", subscription: browser.subscription },
    });
    await resolve(gateway, 1);
    await until("it is given up", async () => (await listed(gateway))[0]?.state === "given_up");
    expect((await listed(gateway))[0]!.coded_reason).toEqual({ code: "push_ended", params: {} });
    const channel = async () => alertChannels.get({ params: { id } });
    expect(await channel()).toMatchObject({ enabled: false, has_secret: false, ended_at: expect.any(String) });
    expect((await secrets.list()).items).toEqual([]);
    const entries = (await gateway.client.audit.list()).items;
    expect(entries.find(({ action }) => action === "end_subscription")).toMatchObject({ actor: "system" });
    const enabling = await gateway.request("PUT", `/alert-channels/${id}`, { body: { enabled: true } });
    expect([enabling.status, enabling.text]).toEqual([400, expect.stringContaining('subscription"')]);

    isGone = false;
    const again = openBrowser(`${service.url}/send/b`, public_key);
    await alertChannels.update({ params: { id }, body: { subscription: again.subscription, enabled: true } });
    expect(await channel()).toMatchObject({ enabled: true, ended_at: null });
    await resolve(gateway, 2);
    await until("it is received", async () => service.received.some(({ url }) => url === "/send/b"));
    const found = service.received.find(({ url }) => url === "/send/b")!;
    expect(JSON.parse(again.read(found.bytes))).toMatchObject({ id: alertId(2) });
  },
);

test("web push: a push service that is busy gets the same message again, and one that refuses it does not end the subscription", async () => {
  const answers = [503, 201, 403];
  await using service = await openReceiver((_, index) => ({ status: answers[index]! }), pair);
  await using gateway = await withAlerts();
  const { alertChannels, webPush } = gateway.client;
  const browser = openBrowser(`${service.url}/send/a`, (await webPush.key()).public_key);
  const params = { id: "Laptop" };
  await alertChannels.create({ body: { name: "Laptop", type: "web_push", subscription: browser.subscription } });
  await resolve(gateway, 1);
  await until("it is delivered", async () => (await listed(gateway))[0]?.state === "delivered", 20);
  const ids = service.received.map(({ bytes }) => JSON.parse(browser.read(bytes)).delivery_id);
  expect(new Set(ids)).toEqual(new Set([(await listed(gateway))[0]!.id]));
  expect(await alertChannels.test({ params })).toMatchObject({
    accepted: false,
    coded_reason: { code: "delivery_status" },
  });
  expect(await alertChannels.get({ params })).toMatchObject({ enabled: true, has_secret: true, ended_at: null });
});

test("web push: a subscription without a key of a browser or without https is refused", async () => {
  await using gateway = await startGateway();
  const { subscription } = openBrowser("https://push.example/a", "");
  const { keys } = subscription;
  const refused = [
    {},
    { subscription: { ...subscription, endpoint: "http://push.example/a" } },
    { subscription: { ...subscription, keys: { ...keys, auth: "short" } } },
    { subscription: { ...subscription, keys: { ...keys, p256dh: `B${"A".repeat(86)}` } } },
    { subscription, url: "https://a.example" },
  ];
  for (const body of refused) {
    const reply = await gateway.request("POST", "/alert-channels", { body: { name: "x", type: "web_push", ...body } });
    expect([body, reply.status]).toEqual([body, 400]);
  }
  const body = { name: "x", type: "web_push", subscription };
  expect((await gateway.request("POST", "/alert-channels", { body })).status).toBe(201);
});
