import type { GatewayApi } from "@portcullis/contract/api";
import type { Client } from "@portcullis/contract/client";
import { because } from "@portcullis/contract/reason";
import { alertAt, alertId, folderWith, observedAt } from "./earlier-state.ts";

type Exercise = (client: Client<GatewayApi>) => Promise<() => Promise<unknown>>;

/** Devices that were observed and are not known yet: one for each decision about them. */
const decisions = ["allow", "guest", "block", "link"] as const;
const macOf = (decision: (typeof decisions)[number]) => `00:1b:a9:00:00:0${decisions.indexOf(decision) + 1}`;

/** The folder of a gateway on which `observedExercises` succeed. */
export function folderWithObservations(): ReturnType<typeof folderWith> {
  const now = Date.now();
  const reason = because("alert_drift", { first: "table", items: 2 });
  return folderWith({
    observed: decisions.map((it, index) => observedAt(now, index + 1, macOf(it))),
    alerts: [1, 2, 3, 4].map((number) => alertAt(now, number, reason)),
  });
}

/** Nothing listens there. */
const receiver = "http://127.0.0.1:1/hook";
const madeChannel = (client: Client<GatewayApi>, name: string) =>
  client.alertChannels.create({ body: { name, type: "webhook", url: receiver, enabled: false } });

/** A message that waits, because its receiver does not answer. */
async function waitingDelivery(client: Client<GatewayApi>, alert: number): Promise<string> {
  await client.alertChannels.create({ body: { name: `waiting ${alert}`, type: "webhook", url: receiver } });
  await client.alerts.resolve({ params: { id: alertId(alert) } });
  return (await client.alertDeliveries.list()).items[0]!.id;
}

/** One successful call of every audited endpoint about alerts and observed devices. */
export const observedExercises: Record<string, Exercise> = {
  "alerts.acknowledge": async (client) => () => client.alerts.acknowledge({ params: { id: alertId(1) } }),
  "alerts.resolve": async (client) => () => client.alerts.resolve({ params: { id: alertId(2) } }),
  "alertChannels.create": async (client) => () =>
    client.alertChannels.create({ body: { name: "made", type: "webhook", url: receiver } }),
  "alertChannels.update": async (client) => {
    const { id } = await madeChannel(client, "changed");
    return () => client.alertChannels.update({ params: { id }, body: { severities: ["info"] } });
  },
  "alertChannels.remove": async (client) => {
    const { id } = await madeChannel(client, "removed");
    return () => client.alertChannels.remove({ params: { id } });
  },
  "alertChannels.test": async (client) => {
    const { id } = await madeChannel(client, "tested");
    return () => client.alertChannels.test({ params: { id } });
  },
  "alertWebhook.put": async (client) => () => client.alertWebhook.put({ body: { url: receiver } }),
  "alertWebhook.test": async (client) => {
    await client.alertWebhook.put({ body: { url: receiver } });
    return () => client.alertWebhook.test();
  },
  "webPush.key": async (client) => () => client.webPush.key(),
  "mqtt.put": async (client) => () => client.mqtt.put({ body: { base_topic: "gateway" } }),
  "mqtt.test": async (client) => {
    await client.mqtt.put({ body: { host: "127.0.0.1", port: 1, security: "none" } });
    return () => client.mqtt.test();
  },
  "alertDeliveries.retry": async (client) => {
    const id = await waitingDelivery(client, 3);
    return () => client.alertDeliveries.retry({ params: { id } });
  },
  "alertDeliveries.remove": async (client) => {
    const id = await waitingDelivery(client, 4);
    return () => client.alertDeliveries.remove({ params: { id } });
  },
  "alerts.updateRule": async (client) => () =>
    client.alerts.updateRule({ params: { id: "tunnel-down" }, body: { enabled: false } }),
  "discovery.allow": async (client) => () => client.discovery.allow({ params: { mac: macOf("allow") }, body: {} }),
  "discovery.guest": async (client) => {
    await client.deviceGroups.create({ body: { name: "guest" } }); // Otherwise it is created, with an entry of its own.
    return () => client.discovery.guest({ params: { mac: macOf("guest") }, body: {} });
  },
  "discovery.block": async (client) => () => client.discovery.block({ params: { mac: macOf("block") }, body: {} }),
  "discovery.link": async (client) => {
    const { id } = await client.devices.create({
      body: { name: "a device with another MAC", mac: "00:1b:a9:00:00:09" },
    });
    return () => client.discovery.link({ params: { mac: macOf("link") }, body: { device_id: id } });
  },
};
