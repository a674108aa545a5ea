import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { type Script, startScript } from "../lab/script.ts";
import { gatewayMac } from "../lab/topology-egresses.ts";
import { type LabDaemon, startApiClient, startDaemon } from "../lab/daemon.ts";
import type { Host, Lab } from "../lab/namespaces.ts";
import { killSupervised } from "../lab/leftovers.ts";
import { keyPair, startWireguard, uniqueName } from "../lab/servers.ts";
import { systemOn } from "../lab/system.ts";
import { linux } from "../daemon/src/system/system.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { ownSec } from "../testing/clock.ts";
import { familyMs, onCpuNanos, packetNanos } from "./cpu-time.ts";

/** One device, one gateway and one VPN server. Shares nothing with other testbeds. */
export interface TunnelTestbed {
  /** Sends small packets over established flows; returns the cost per packet until all have arrived. */
  packets(count: number): Promise<Cost>;
  /** The same with bytes, over an established connection. */
  bytes(count: number): Promise<Cost>;
}

export interface Cost {
  /** CPU of both ends and of both wireguard-go processes. */
  readonly cpuNanos: number;
  readonly nanos: number;
}

/** Packets or a connection were lost, as happens when a health check fails on a slow machine. The round can be repeated. */
export class Interrupted extends Error {}

/** The configuration of one tunnel of the gateway. */
interface Client {
  readonly interface: string;
  readonly address: string;
  readonly privateKey: string;
  readonly serverKey: string;
  readonly serverPort: number;
}

const device = { mac: "02:00:00:00:00:01", address: "10.0.0.2" };
const wan = { gateway: "192.0.2.1", server: "192.0.2.2" };
const farAddress = "203.0.113.5";
/** The daemon's default probe targets. */
const probed = ["1.1.1.1", "9.9.9.9"];
const lastCore = String(availableParallelism() - 1);
const [port, flows] = [51_820, 64];
/** Every queue of the path holds so many packets. */
const atOnce = 200;
/** 100 tunnels are up after 8 to 90 s, depending on the machine. The limit only stops a run that hangs. */
const stuckMs = 900_000;

/** `prepare` configures the gateway and returns the process id that encrypts for the device. */
export async function openTunnelTestbed(
  lab: Lab,
  { name, tunnels }: { readonly name: string; readonly tunnels: number },
  prepare: (gateway: Host, clients: readonly Client[]) => Promise<number>,
): Promise<TunnelTestbed> {
  const [near, gateway, far] = [
    await lab.host(`${name}-device`),
    await lab.host(`${name}-gw`),
    await lab.host(`${name}-far`),
  ];
  await lab.cable(
    { host: gateway, device: "lan0", mac: gatewayMac, addresses: ["10.0.0.1/24"] },
    { host: near, device: "eth0", mac: device.mac, addresses: [`${device.address}/24`] },
  );
  await near.run("ip", "route", "add", "default", "via", "10.0.0.1");
  await lab.cable(
    { host: gateway, device: "wan0", addresses: [`${wan.gateway}/30`] },
    { host: far, device: "eth0", addresses: [`${wan.server}/30`] },
  );
  for (const address of [farAddress, ...probed]) await far.run("ip", "address", "add", `${address}/32`, "dev", "lo");
  const { clients, processId: server } = await serve(far, tunnels);
  const ours = await prepare(gateway, clients);

  const addresses = ["eth0", gatewayMac, device.mac, device.address, farAddress, String(flows)];
  const sender = await startScript(near, "lab/blast.py", ...addresses);
  const sink = await startScript(far, "bench/sink.py", farAddress, "9");
  const taker = await startScript(far, "bench/stream.py", "take", farAddress, "5001");
  const giver = await startScript(near, "bench/stream.py", "give", farAddress, "5001");
  // One core for all, as for the sender: the cost of waking threads on other cores varies.
  for (const pid of [ours, server, taker.pid, giver.pid]) await far.run("taskset", "-apc", lastCore, String(pid));
  const effort = async (parties: readonly Script[], count: number, work: () => Promise<void>): Promise<Cost> => {
    const pids = [...parties.map(({ pid }) => pid), ours, server];
    const [cpuBefore, before] = [packetNanos(pids), performance.now()];
    await work();
    const nanos = (performance.now() - before) * 1e6;
    return { cpuNanos: (packetNanos(pids) - cpuBefore) / count, nanos: nanos / count };
  };
  return {
    packets: (count) =>
      effort([sender], count, async () => {
        for (let left = count; left > 0; left -= atOnce) {
          await sender.request(`send ${Math.min(left, atOnce)}`);
          const came = Number(await sink.request(String(Math.min(left, atOnce))));
          if (came < Math.min(left, atOnce)) throw new Interrupted(`${name}: packets were lost`);
        }
      }),
    bytes: (count) =>
      effort([giver, taker], count, async () => {
        if ((await giver.request(String(count))) !== "ok")
          throw new Interrupted(`${name}: the TCP connection was lost`);
      }),
  };
}

/**
 * A WireGuard server for the tunnel that is measured, and one for all others: what their health checks cost at the far end is no
 * part of what a packet costs.
 */
async function serve(host: Host, tunnels: number): Promise<{ clients: Client[]; processId: number }> {
  const addresses = Array.from({ length: tunnels }, (_, n) => `10.77.${n >> 7}.${n & 127}`);
  const measured = await serveSome(host, port, addresses.slice(0, 1));
  const others = tunnels > 1 ? await serveSome(host, port + 1, addresses.slice(1)) : { clients: [] };
  return { clients: [...measured.clients, ...others.clients], processId: measured.processId };
}

async function serveSome(host: Host, serverPort: number, addresses: readonly string[]) {
  const own = keyPair();
  const peers = addresses.map((address) => ({ ...keyPair(), address }));
  const conf = [
    `[Interface]\nPrivateKey = ${own.privateKey}\nListenPort = ${serverPort}`,
    ...peers.map(({ publicKey, address }) => `[Peer]\nPublicKey = ${publicKey}\nAllowedIPs = ${address}/32`),
  ];
  const name = uniqueName("ws");
  const { pid } = await startWireguard(host, name, `${conf.join("\n")}\n`);
  const routes = addresses.map((address) => `route add ${address}/32 dev ${name}\n`).join("");
  await systemOn(host).run("ip", ["-batch", "-"], { stdin: routes });
  const clients = peers.map(({ privateKey, address }) => ({
    interface: uniqueName("wg"),
    address,
    privateKey,
    serverKey: own.publicKey,
    serverPort,
  }));
  return { clients, processId: pid! };
}

const configOf = ({ privateKey, serverKey, serverPort }: Client): string => `[Interface]
PrivateKey = ${privateKey}
[Peer]
PublicKey = ${serverKey}
AllowedIPs = 0.0.0.0/0
Endpoint = ${wan.server}:${serverPort}
`;

/** One tunnel, configured by hand. */
export async function tunnelByHand(gateway: Host, [client]: readonly Client[]): Promise<number> {
  const { pid } = await startWireguard(gateway, client!.interface, configOf(client!));
  await gateway.run("ip", "address", "add", `${client!.address}/32`, "dev", client!.interface);
  await gateway.run("ip", "route", "add", "default", "dev", client!.interface);
  await gateway.run("sysctl", "-qw", "net.ipv4.ip_forward=1");
  const rules = `table inet router {
	chain postrouting {
		type nat hook postrouting priority srcnat; policy accept;
		oifname "${client!.interface}" masquerade
	}
}
`;
  await systemOn(gateway).run("nft", ["-f", "-"], { stdin: rules });
  return pid!;
}

/** The gateway with all these tunnels, and one policy that routes the device through the first. */
export interface OurGateway extends AsyncDisposable {
  readonly prepare: (gateway: Host, clients: readonly Client[]) => Promise<number>;
  /** Ends all programs, starts the daemon, and waits until each tunnel is up. */
  restartSec(): Promise<number>;
  /** CPU per second of the daemon with its child processes, and of the wireguard-go processes. */
  costs(seconds: number): Promise<{ readonly daemonMs: number; readonly programsMs: number }>;
}

export function ourGateway(): OurGateway {
  const folder = temporaryFolder();
  const supervised = () =>
    linux.findProcesses(`PORTCULLIS_CHILD=${folder.path}/run/children/`).map((it) => it.processId);
  const programsMs = () => supervised().reduce((sum, processId) => sum + onCpuNanos(processId) / 1e6, 0);
  let start: () => Promise<LabDaemon>;
  let daemon: LabDaemon | undefined;
  let api: Pick<LabDaemon, "ok">;
  const endAll = async () => {
    await daemon?.kill();
    daemon = undefined;
    killSupervised(`${folder.path}/run`);
  };
  /** Waits until each tunnel has been up once: on a slow machine one may be down again when the last comes up. */
  async function allUp(): Promise<void> {
    const cameUp = new Set<string>();
    let found: readonly { name: string; status: string }[] = [];
    for (const giveUpAt = performance.now() + stuckMs; performance.now() < giveUpAt; await wait(100)) {
      found = (await api.ok("GET", "/tunnels?limit=500")) as typeof found;
      for (const { name, status } of found) if (status === "up") cameUp.add(name);
      if (found.length > 0 && found.every(({ name }) => cameUp.has(name))) return;
    }
    throw new Error(`${cameUp.size} of ${found.length} tunnels came up within ${stuckMs / 1000} s`);
  }
  async function processOf({ interface: name }: Client): Promise<number> {
    const word = `PORTCULLIS_CHILD=${folder.path}/run/children/wireguard.${name}#`;
    for (const giveUpAt = performance.now() + 60_000; performance.now() < giveUpAt; await wait(100)) {
      const [process] = linux.findProcesses(word);
      const engine = process && lastOf(process.processId);
      if (engine !== undefined && readFileSync(`/proc/${engine}/comm`, "utf8").trim() === "wireguard-go") return engine;
    }
    throw new Error(`No wireguard-go process for ${name}`);
  }
  return {
    prepare: async (gateway, clients) => {
      await gateway.run("ip", "route", "add", "default", "via", wan.server);
      start = () => startDaemon(gateway, settings, { ...folder, [Symbol.dispose]: () => {} });
      daemon = await start();
      api = await startApiClient(gateway);
      const made = (path: string, body: object) => api.ok("POST", path, body) as Promise<{ id: string }>;
      for (const [index, client] of clients.entries()) {
        const config = configOf(client).replace("[Peer]", `Address = ${client.address}/32\n[Peer]`);
        await made("/tunnels/import-wireguard", { name: `t${index}`, interface: client.interface, config });
      }
      const { id } = await made("/devices", { name: "device", mac: device.mac });
      const hops = [{ type: "vpn", target: "t0" }];
      await made("/routing/policies", { name: "device", source_type: "device", source_value: id, hops });
      await api.ok("POST", "/routing/policies/apply");
      await allUp();
      return processOf(clients[0]!);
    },
    restartSec: async () => {
      await endAll();
      const before = ownSec();
      daemon = await start();
      await allUp();
      return ownSec() - before;
    },
    costs: async (seconds) => {
      const read = () => ({ daemon: familyMs(daemon!.processId), programs: programsMs(), at: performance.now() });
      const before = read();
      await wait(seconds * 1000);
      const after = read();
      const tookSec = (after.at - before.at) / 1000; // Longer than `seconds` on a busy machine.
      return {
        daemonMs: (after.daemon - before.daemon) / tookSec,
        programsMs: (after.programs - before.programs) / tookSec,
      };
    },
    [Symbol.asyncDispose]: async () => {
      await endAll();
      folder[Symbol.dispose]();
    },
  };
}

const settings = {
  dataplane: { enabled: true, confirm_first_sec: 0 },
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "block" },
  limits: { requests_per_minute: 1_000_000 },
};

/** The program inside its nested sandboxes. */
function lastOf(processId: number): number {
  const [child] = readFileSync(`/proc/${processId}/task/${processId}/children`, "utf8").trim().split(" ");
  return child === undefined || child === "" ? processId : lastOf(Number(child));
}
