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
    alerts: [1, 2].map((number) => alertAt(now, number, reason)),
  });
}

/** One successful call of every audited endpoint about alerts and observed devices. */
export const observedExercises: Record<string, Exercise> = {
  "alerts.acknowledge": async (client) => () => client.alerts.acknowledge({ params: { id: alertId(1) } }),
  "alerts.resolve": async (client) => () => client.alerts.resolve({ params: { id: alertId(2) } }),
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
