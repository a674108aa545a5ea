import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { brokerLogin, openBroker } from "../../../../testing/broker.ts";
import { makeCertificate } from "../../../../testing/certificates.ts";
import { until } from "../../../../testing/deadline.ts";
import { alertAt, alertId, folderWith } from "../../../../testing/earlier-state.ts";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { startGateway } from "../../../../testing/gateway.ts";

const reason = because("alert_tunnel_down", { name: "Köln" });
const withAlerts = () =>
  startGateway({ folder: folderWith({ alerts: [1, 2, 3].map((number) => alertAt(Date.now(), number, reason)) }) });

test("mqtt channel: a broker receives the alerts in their order, with the id of the message, over TLS with a certificate of one's own", async () => {
  using folder = temporaryFolder();
  const pair = await makeCertificate(folder.path, "broker");
  await using broker = await openBroker({ pair });
  await using home = await broker.subscribe();
  await using gateway = await withAlerts();
  const { alertChannels, alertDeliveries, alerts } = gateway.client;
  const { port } = broker;
  const body = {
    name: "Broker",
    type: "mqtt",
    host: "127.0.0.1",
    port,
    topic: "house/alerts",
    ...brokerLogin,
  } as const;
  const made = await alertChannels.create({ body });
  expect(made).toMatchObject({ security: "tls", has_secret: true });
  const params = { id: made.id };
  expect(await alertChannels.test({ params })).toMatchObject({
    accepted: false,
    reason: expect.stringMatching(/certificate/),
  });
  await alertChannels.update({ params, body: { ca: pair.cert, ...brokerLogin } });
  expect(await alertChannels.test({ params })).toMatchObject({ accepted: true });
  await broker.kill9();
  for (const number of [1, 2, 3]) await alerts.resolve({ params: { id: alertId(number) } });
  await until("the first was tried", async () => (await alertDeliveries.list()).items.at(-1)!.attempts > 0);
  await alertChannels.update({ params, body: { enabled: false } });
  await broker.start();
  await using later = await broker.subscribe();
  await alertChannels.update({ params, body: { enabled: true } });
  await until(
    "all are delivered",
    async () => (await alertDeliveries.list()).items.every((it) => it.state === "delivered"),
    20,
  );
  const ids = (await alertDeliveries.list()).items.map(({ id }) => id);
  await until("all are received", async () => later.messages.length === 3);
  const received = later.messages.map(({ payload }) => JSON.parse(payload));
  expect(received.map((it) => it.id)).toEqual([1, 2, 3].map(alertId));
  expect(received.map((it) => it.delivery_id)).toEqual(ids.toReversed());
  expect(later.messages[0]!.topic).toBe("house/alerts");
  expect(received[0]).toMatchObject({
    event: "resolved",
    state: "resolved",
    message: "It is over: tunnel Köln is down",
  });
  expect(JSON.parse(home.messages[0]!.payload).rule).toBe("test");
});

test("mqtt channel: a wrong password is final, and the message can be sent again", async () => {
  await using broker = await openBroker();
  await using home = await broker.subscribe();
  await using gateway = await withAlerts();
  const { alertChannels, alertDeliveries, alerts } = gateway.client;
  const place = { host: "127.0.0.1", port: broker.port, security: "none", topic: "alerts" } as const;
  const body = { name: "Broker", type: "mqtt", ...place, ...brokerLogin, password: "wrong" } as const;
  const { id } = await alertChannels.create({ body });
  await alerts.resolve({ params: { id: alertId(1) } });
  await until("it is given up", async () => (await alertDeliveries.list()).items[0]!.state === "given_up");
  const [message] = (await alertDeliveries.list()).items;
  expect(message!.coded_reason).toEqual({ code: "mqtt_login_refused", params: {} });
  await alertChannels.update({ params: { id }, body: { password: brokerLogin.password } });
  await alertDeliveries.retry({ params: { id: message!.id } });
  await until("it is received", async () => home.topics.has("alerts"));
  expect(home.messages).toHaveLength(1);
});

test("mqtt channel: fields of the broker are checked, and a topic with slashes is not one of ntfy", async () => {
  await using gateway = await startGateway();
  const refused = [
    [{ type: "mqtt", topic: "a" }, "host"],
    [{ type: "mqtt", host: "broker.example" }, "topic"],
    [{ type: "mqtt", host: "broker.example", topic: "a/+" }, "topic"],
    [{ type: "mqtt", host: "broker.example", topic: "a", security: "starttls" }, "security"],
    [{ type: "mqtt", host: "broker.example", topic: "a", url: "https://a.example" }, "url"],
    [{ type: "ntfy", topic: "a/b" }, "topic"],
  ] as const;
  for (const [body, field] of refused) {
    const reply = await gateway.request("POST", "/alert-channels", { body: { name: "x", ...body } });
    expect([body, reply.status, reply.text]).toEqual([body, 400, expect.stringContaining(`${field}"`)]);
  }
});
