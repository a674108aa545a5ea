import { Problem } from "@portcullis/contract/problem";
import type { GatewayApi } from "@portcullis/contract/api";
import type { Client } from "@portcullis/contract/client";

type Exercise = (client: Client<GatewayApi>) => Promise<() => Promise<unknown>>;

/** One successful call of every privacy endpoint that is audited. */
export const privacyExercises: Record<string, Exercise> = {
  "privacy.putDnsMode": async (client) => () => client.privacy.putDnsMode({ body: { mode: "off" } }),
  "privacy.forceDns": async (client) => {
    const { id } = await client.devices.create({ body: { name: "a device that is forced" } });
    return () => client.privacy.forceDns({ body: { device_id: id, enabled: true } });
  },
  "privacy.blockDoh": async (client) => {
    const { id } = await client.privacyClasses.create({ body: { name: "a class that is blocked" } });
    return () => client.privacy.blockDoh({ body: { privacy_class: id } });
  },
  "privacy.blockIpv6": async (client) => () => client.privacy.blockIpv6(),
  "privacy.blockWebrtc": async (client) => () => client.privacy.blockWebrtc({ body: { enabled: true } }),
  "privacy.putLeakMonitor": async (client) => () => client.privacy.putLeakMonitor({ body: { delay_sec: 7 } }),
  "privacy.leakCheck": async (client) => () => client.privacy.leakCheck().catch(ignoreConflict),
  "anomalies.updateSettings": async (client) => () => client.anomalies.updateSettings({ body: { learning_days: 21 } }),
  "captive.check": async (client) => () => client.captive.check().catch(ignoreConflict),
};

/** Without a dataplane these calls answer `conflict`, and are audited nevertheless. */
function ignoreConflict(problem: unknown): object {
  if (problem instanceof Problem && problem.code === "conflict") return {};
  throw problem;
}
