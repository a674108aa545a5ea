import { listFlows } from "../daemon/src/engines/conntrack/conntrack.ts";
import { type Script, startScript } from "../lab/script.ts";
import type { Host, Lab } from "../lab/namespaces.ts";
import { systemOn } from "../lab/system.ts";
import { packetNanos } from "./cpu-time.ts";

/** One device, one gateway and one host behind all of its egresses, of which the first tunnel is in use. Shares nothing with other testbeds. */
export interface ForwardingTestbed {
  /** Sends small packets over established flows; returns the CPU nanoseconds per packet, from sender to receiver. */
  packets(count: number): Promise<number>;
  /** The same in the reply direction. */
  answers(count: number): Promise<number>;
  /** Sends bytes over an established connection; returns the CPU nanoseconds per byte, both ends included. */
  bytes(count: number): Promise<number>;
  /** The share of all packets that arrived: dropping packets would be cheap. */
  arrived(): Promise<number>;
  /** Whether the kernel counts what connections transfer. */
  isCounting(): Promise<boolean>;
}

export const egresses = ["wan0", "t1", "t2", "t3", "t4"] as const;
const flows = 64;
const port = 5001;
const farAddress = "203.0.113.5";
const gatewayMac = "02:99:00:00:00:01";
const outsideMac = "02:77:00:00:00:01";
export const egressAddress = (index: number, last: number): string => `192.0.2.${8 * index + last}`;

/** `prepare` configures the gateway, which has interfaces and addresses but does not forward yet. */
export async function openForwardingTestbed(
  lab: Lab,
  name: string,
  device: { readonly mac: string; readonly address: string },
  prepare: (gateway: Host) => Promise<void>,
): Promise<ForwardingTestbed> {
  const client = await lab.host(`${name}-device`);
  const gateway = await lab.host(`${name}-gateway`);
  const outside = await lab.host(`${name}-outside`);
  for (const scope of ["all", "default"]) await gateway.run("sysctl", "-qw", `net.ipv4.conf.${scope}.rp_filter=0`);
  await lab.cable(
    { host: gateway, device: "lan0", mac: gatewayMac, addresses: ["10.0.0.1/16"] },
    { host: client, device: "eth0", mac: device.mac, addresses: [`${device.address}/16`] },
  );
  await client.run("ip", "route", "add", "default", "via", "10.0.0.1");
  await outside.run("ip", "address", "add", `${farAddress}/32`, "dev", "lo");
  for (const [index, egress] of egresses.entries()) {
    await lab.cable(
      { host: gateway, device: egress, mac: gatewayMac, addresses: [`${egressAddress(index, 1)}/29`] },
      { host: outside, device: egress, mac: outsideMac, addresses: [`${egressAddress(index, 2)}/29`] },
    );
    await gateway.run("ip", "neigh", "add", egressAddress(index, 2), "lladdr", outsideMac, "dev", egress);
  }
  await prepare(gateway);
  await gateway.run("sysctl", "-qw", "net.ipv4.ip_forward=1");
  await systemOn(outside).run("nft", ["-f", "-"], { stdin: dropAndCount(egresses) });
  await systemOn(client).run("nft", ["-f", "-"], { stdin: dropAndCount(["eth0"]) });

  const near = [device.mac, device.address, farAddress, String(flows)];
  const sender = await startScript(client, "lab/blast.py", "eth0", gatewayMac, ...near);
  const far = [outsideMac, farAddress, egressAddress(1, 1), String(flows), "answers"];
  const answerer = await startScript(outside, "lab/blast.py", "t1", gatewayMac, ...far);
  let connection: { taker: Script; giver: Script } | undefined;
  let sent = 0;
  const cost = async (party: Script, count: number) => {
    const before = packetNanos([party.pid]);
    await party.request(`send ${count}`);
    return (packetNanos([party.pid]) - before) / count;
  };
  return {
    packets: (count) => {
      sent += count;
      return cost(sender, count);
    },
    answers: (count) => {
      sent += count;
      return cost(answerer, count);
    },
    bytes: async (count) => {
      connection ??= {
        taker: await startScript(outside, "bench/stream.py", "take", farAddress, String(port)),
        giver: await startScript(client, "bench/stream.py", "give", farAddress, String(port)),
      };
      const { taker, giver } = connection;
      const pids = [giver.pid, taker.pid];
      const before = packetNanos(pids);
      if ((await giver.request(String(count))) !== "ok") throw new Error(`${name}: the TCP connection was lost`);
      return (packetNanos(pids) - before) / count;
    },
    arrived: async () => ((await arrivedAt(outside)) + (await arrivedAt(client))) / sent,
    isCounting: async () => (await listFlows(systemOn(gateway))).length > 0,
  };
}

async function arrivedAt(host: Host): Promise<number> {
  const counter = await host.run("nft", "list", "counter", "netdev", "receiver", "arrived");
  return Number(/packets (\d+)/.exec(counter)![1]);
}

/** Drops packets at ingress of the receiver: its protocol stack is no part of the cost. */
const dropAndCount = (devices: readonly string[]): string => `table netdev receiver {
	counter arrived { }
${devices
  .map(
    (device) => `	chain ${device} {
		type filter hook ingress device "${device}" priority 0; policy accept;
		meta l4proto udp counter name arrived drop
	}`,
  )
  .join("\n")}
}
`;
