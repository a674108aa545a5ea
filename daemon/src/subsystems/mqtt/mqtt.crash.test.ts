import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { brokerLogin, openBroker } from "../../../../testing/broker.ts";
import { startDaemon } from "../../../../testing/daemon.ts";
import { until } from "../../../../testing/deadline.ts";
import { alertAt, alertId, folderWith } from "../../../../testing/earlier-state.ts";

test("mqtt: a daemon that is killed is offline for Home Assistant and online when it runs again, and no message of its alert channel is lost or out of order", async () => {
  await using broker = await openBroker();
  await using home = await broker.subscribe();
  const numbers = [1, 2, 3, 4, 5, 6];
  const reason = because("alert_drift", { first: "table", items: 2 });
  using folder = folderWith({ alerts: numbers.map((number) => alertAt(Date.now(), number, reason)) });
  const availability = () => [...home.topics].find(([topic]) => /^portcullis\/[^/]+\/availability$/.test(topic))?.[1];
  const place = { host: "127.0.0.1", port: broker.port, security: "none", ...brokerLogin };
  {
    await using daemon = await startDaemon(folder.path);
    const channel = { name: "Broker", type: "mqtt", topic: "alerts", ...place };
    expect((await daemon.request("POST", "/alert-channels", { body: channel })).status).toBe(201);
    expect((await daemon.request("PUT", "/integrations/mqtt", { body: { enabled: true, ...place } })).status).toBe(200);
    await until("it is online", async () => availability() === "online");
    for (const number of numbers)
      expect((await daemon.request("POST", `/alerts/${alertId(number)}/resolve`)).status).toBe(200);
    await daemon.kill9();
  }
  await until("it is offline", async () => availability() === "offline");
  await using daemon = await startDaemon(folder.path);
  await until("it is online again", async () => availability() === "online");
  const waiting = async () => (await daemon.request("GET", "/alert-deliveries?state=waiting")).json().length as number;
  await until("nothing waits", async () => (await waiting()) === 0, 30);
  const copies = home.messages.filter(({ topic }) => topic === "alerts").map(({ payload }) => JSON.parse(payload));
  expect([...new Set(copies.map(({ id }) => id))]).toEqual(numbers.map(alertId));
  expect(new Set(copies.map((it) => it.delivery_id)).size).toBe(numbers.length);
});
