import { type DeviceTopology, server } from "./topology-devices.ts";
import type { Probe } from "./topology-egresses.ts";

/** A device without a policy, and one with a policy that leads through the first tunnel. */
export const freeMac = "02:00:00:00:00:03";
export const guardedMac = "02:00:00:00:00:01";
export const devices = { v4: "10.0.0.2", v6: "fd00::2" } as const;

/** Probes of these two devices, and what the guard has counted. The topology may be opened later. */
export function guardProbes(topology: () => DeviceTopology) {
  let port = 1000;
  const nextPort = (): number => (port += 1);
  const wish = (mac: string, source: string, destination: string, from = "lan0"): Probe => ({
    interface: from,
    mac,
    source,
    destination,
    port: nextPort(),
  });
  const toServer = (mac: string) => [wish(mac, devices.v4, server.v4), wish(mac, devices.v6, server.v6)];
  return {
    nextPort,
    wish,
    guarded: () => toServer(guardedMac),
    free: () => toServer(freeMac),
    /** Where each was seen: an egress, a LAN, or none. */
    leaves: async (...probes: Probe[]): Promise<string[]> => {
      const seen = await topology().send(probes);
      return probes.map((it) => (seen.get(it.port) ?? ["none"]).join());
    },
    dropped: async (counter: string): Promise<number> => {
      const text = await topology().gateway.run("nft", "list", "counter", "inet", "portcullis_guard", counter);
      return Number(/packets (\d+)/.exec(text)![1]);
    },
    forgedBy: async (...macs: readonly string[]): Promise<number> => {
      const text = await topology().gateway.run("nft", "list", "set", "inet", "portcullis", "tried_forged");
      const of = (mac: string) => Number(new RegExp(`${mac}[^,]*packets (\\d+)`, "u").exec(text)?.[1] ?? 0);
      return macs.reduce((sum, mac) => sum + of(mac), 0);
    },
  };
}
