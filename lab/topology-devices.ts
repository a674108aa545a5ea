import {
  type EgressTopology,
  gatewayMac,
  openEgressTopology,
  type Egress,
  egressAddress,
  egresses,
} from "./topology-egresses.ts";
import type { Host, Lab } from "./namespaces.ts";
import { type JsonScript, startJsonScript } from "./json-script.ts";

/** The addresses of the server outside, reachable through every egress. */
export const server = { v4: "203.0.113.5", v6: "2001:db8:f::1" } as const;

/** An egress topology with devices on the first LAN, each with sockets of its own, and a server that answers. */
export interface DeviceTopology extends EgressTopology {
  /** The n-th device, from 1 on: its MAC ends with n, its addresses with n + 1. */
  device(name: string, index: number): Promise<Device>;
  /** What the server outside has received so far. */
  serverReport(): Promise<ServerReport>;
}

export interface Device extends Host {
  readonly mac: string;
  /** Talks to the server from now on: numbered datagrams and one TCP connection, in both families. */
  sendTraffic(perSecond: number): Promise<Traffic>;
  /** Sends any packets at all, at this many a second. */
  flood(perSecond: number): Promise<{ stop(): Promise<{ sent: number; seconds: number }> }>;
}

export interface Traffic {
  report(): Promise<TrafficReport>;
  /** Sends no more, and waits for packets in flight. */
  stop(): Promise<TrafficReport>;
}

type Families<T> = Readonly<Record<"4" | "6", T>>;

export interface TrafficReport {
  /** Datagrams sent. */
  readonly udp: Families<number>;
  /** TCP connections one after the other: the next begins when the server or the gateway ended the one before. */
  readonly tcp: Families<
    readonly { opened: number; ended: number | null; why: string | null; sent: number; echoed: number }[]
  >;
}

export interface ServerReport {
  /**
   * Datagrams by device and family ("phone-4"): how many different ones were received in total, and through which
   * egresses since the previous report.
   */
  readonly udp: Readonly<Record<string, { numbers: number; egresses: Readonly<Partial<Record<Egress, Times>>> }>>;
  readonly tcp: readonly { who: string; egress: Egress; bytes: number; inOrder: boolean }[];
}
/** Seconds of the machine's monotonic clock. */
interface Times {
  readonly first: number;
  readonly last: number;
}

export async function openDeviceTopology(lab: Lab): Promise<DeviceTopology> {
  const topology = await openEgressTopology(lab);
  const { clients, outside } = topology;
  await addLanBridge(clients);
  // Each egress has its own network, so responses return through the egress of the request.
  for (const [index, egress] of egresses.entries()) {
    const { v4, v6 } = egressAddress(index, 2);
    await addAddresses(outside, `from-${egress}`, `${v4}/29`, `${v6}/64`);
  }
  await addAddresses(outside, "lo", `${server.v4}/32`, `${server.v6}/128`);
  // As distributions leave them.
  for (const egress of egresses) await topology.gateway.run("sysctl", "-qw", `net.ipv4.conf.${egress}.rp_filter=2`);
  const reader = await startJsonScript(outside, "traffic-server.py");
  return {
    ...topology,
    device: (name, index) => addDevice(lab, topology, name, index),
    serverReport: () => reader.request("report") as Promise<ServerReport>,
  };
}

/** What joins the devices of the first LAN. */
export async function addLanBridge(clients: Host): Promise<void> {
  await clients.run("ip", "link", "add", "lan-bridge", "up", "type", "bridge", "mcast_snooping", "0");
  await clients.run("ip", "link", "set", "to-lan0", "master", "lan-bridge");
}

/** At once: an IPv6 address would be looked for among the neighbours first, and could not be used meanwhile. */
async function addAddresses(host: Host, device: string, ...addresses: string[]): Promise<void> {
  for (const address of addresses) await host.run("ip", "address", "add", address, "dev", device, "nodad");
}

export async function addDevice(
  lab: Lab,
  { clients }: Pick<EgressTopology, "clients">,
  name: string,
  index: number,
): Promise<Device> {
  const host = await lab.host(name);
  const mac = `02:00:00:00:00:0${index}`;
  await lab.cable(
    { host, device: "eth0", mac, addresses: [`10.0.0.${index + 1}/24`, `fd00::${index + 1}/64`] },
    { host: clients, device: `to-${name}`, addresses: [] },
  );
  await clients.run("ip", "link", "set", `to-${name}`, "master", "lan-bridge");
  for (const router of ["10.0.0.1", "fd00::1"]) await host.run("ip", "route", "add", "default", "via", router);
  return {
    ...host,
    mac,
    sendTraffic: async (perSecond) =>
      trafficOf(await startJsonScript(host, "traffic-sender.py", name, String(perSecond))),
    flood: async (perSecond) => {
      const flood = await startJsonScript(
        host,
        "flood.py",
        gatewayMac,
        "eth0",
        mac,
        String(index + 1),
        String(perSecond),
      );
      return { stop: () => flood.request("stop") as Promise<{ sent: number; seconds: number }> };
    },
  };
}

const trafficOf = (mouth: JsonScript): Traffic => ({
  report: () => mouth.request("report") as Promise<TrafficReport>,
  stop: () => mouth.request("stop") as Promise<TrafficReport>,
});
