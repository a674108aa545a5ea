import { type Script, startScript } from "../lab/script.ts";
import type { Host, Lab } from "../lab/namespaces.ts";
import { systemOn } from "../lab/system.ts";
import { packetNanos } from "./cpu-time.ts";

/** One device, one gateway, and the world behind its ways out, the first tunnel's in use. Nothing of it is shared with another road. */
export interface Road {
  /** Sends small packets over flows that already run; answers what each cost, from the sender to the other side. */
  packets(count: number): Promise<number>;
  /** The same for what comes back. */
  answers(count: number): Promise<number>;
  /** Sends bytes over a connection that already runs; answers what each cost, both ends included. */
  bytes(count: number): Promise<number>;
  /** Which part of all packets came out on the other side. A gateway that drops them is cheap. */
  arrived(): Promise<number>;
}

export const ways = ["wan0", "t1", "t2", "t3", "t4"] as const;
const flows = 64;
const port = 5001;
const farAddress = "203.0.113.5";
const gatewayMac = "02:99:00:00:00:01";
const outsideMac = "02:77:00:00:00:01";
export const wayAddress = (place: number, last: number): string => `192.0.2.${8 * place + last}`;

/** `prepare` makes a gateway of the host in the middle, which has its interfaces and addresses but forwards nothing yet. */
export async function openRoad(
  lab: Lab,
  name: string,
  device: { readonly mac: string; readonly address: string },
  prepare: (gateway: Host) => Promise<void>,
): Promise<Road> {
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
  for (const [place, way] of ways.entries()) {
    await lab.cable(
      { host: gateway, device: way, mac: gatewayMac, addresses: [`${wayAddress(place, 1)}/29`] },
      { host: outside, device: way, mac: outsideMac, addresses: [`${wayAddress(place, 2)}/29`] },
    );
    await gateway.run("ip", "neigh", "add", wayAddress(place, 2), "lladdr", outsideMac, "dev", way);
  }
  await prepare(gateway);
  await gateway.run("sysctl", "-qw", "net.ipv4.ip_forward=1");
  await systemOn(outside).run("nft", ["-f", "-"], { stdin: taking(ways) });
  await systemOn(client).run("nft", ["-f", "-"], { stdin: taking(["eth0"]) });

  const near = [device.mac, device.address, farAddress, String(flows)];
  const sender = await startScript(client, "lab/blast.py", "eth0", gatewayMac, ...near);
  const far = [outsideMac, farAddress, wayAddress(1, 1), String(flows), "answers"];
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
  };
}

async function arrivedAt(host: Host): Promise<number> {
  const counter = await host.run("nft", "list", "counter", "netdev", "taking", "arrived");
  return Number(/packets (\d+)/.exec(counter)![1]);
}

/** Packets end where they arrive on the other side: what lies behind the gateway is no part of its cost. */
const taking = (devices: readonly string[]): string => `table netdev taking {
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
