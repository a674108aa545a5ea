import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { until } from "../testing/deadline.ts";
import { queryOnce } from "./dns-load.ts";
import { openLab, type Host } from "./namespaces.ts";
import { forwardPort } from "./port-forward.ts";
import { gatewayAddress, openDnsTopology } from "./topology-dns.ts";
import { server } from "./topology-devices.ts";
import type { HopClient, HopServer, HopTopology } from "./topology-hops.ts";

/** A gateway with two clients, an Internet provider and two VPN providers, all in network namespaces of this machine, with traffic. */
export interface Demo extends AsyncDisposable {
  /** The web interface, on the loopback interface of this machine. */
  readonly address: string;
  readonly topology: HopTopology;
  /** Kills the laptop's VPN server while the provider captures packets. `report` gets one line per step. */
  leakTest(report: (line: string) => void): Promise<LeakTest>;
}

export interface LeakTest {
  /** Packets of the laptop that the provider captured. */
  readonly captured: { readonly control: number; readonly protected: number };
  /** Datagrams that the laptop sent while its VPN server was dead. */
  readonly sent: number;
}

/** Port 0: any free one. */
export async function openDemo(port: number): Promise<Demo> {
  const stack = new AsyncDisposableStack();
  try {
    const lab = stack.use(openLab());
    // Who reaches the loopback interface of this machine is the operator, as on a first try of the daemon.
    const settings = { auth: { enabled: false }, listen: { api_addr: "127.0.0.1:8080" } };
    const { topology } = stack.use(await openDnsTopology(lab, { resolvers: ["r1"], settings }));
    const forward = stack.use(await forwardPort(topology.net.gateway, port, 8080));
    const [amsterdam, zurich] = [await topology.wireguard("Amsterdam"), await topology.openvpn("Zurich")];
    const laptop = await topology.addClient("laptop", [amsterdam]);
    const tv = await topology.addClient("tv", [zurich]);
    await topology.api.ok("POST", "/dns/block", { domains: ["ads.example", "tracker.example"] });
    await topology.apply();
    for (const [{ seenFrom, name }, { site }] of [[laptop, amsterdam] as const, [tv, zurich] as const])
      await until(`${name} leaves by its tunnel`, async () => leavesBy(await seenFrom(), site), 60);
    stack.use(keepQuerying([laptop.device, tv.device]));
    return {
      address: `http://localhost:${forward.port}`,
      topology,
      leakTest: (report) => leakTest(topology, laptop, amsterdam, report),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

const leavesBy = (sources: readonly string[], { v4, v6 }: HopServer["site"]): boolean =>
  sources.length > 0 && sources.every((it) => it === v4 || it === v6);

async function leakTest(
  { api, net }: HopTopology,
  laptop: HopClient,
  vpn: HopServer,
  report: (line: string) => void,
): Promise<LeakTest> {
  const byTunnel = () =>
    until("the laptop leaves by its tunnel", async () => leavesBy(await laptop.seenFrom(), vpn.site), 60);
  const control = await captureOf(net.providers[0]);
  const bypass = { type: "temporary-direct", device_id: "laptop", allow_direct: true, duration_min: 1 };
  const { id } = (await api.ok("POST", "/exceptions", bypass)) as { readonly id: string };
  await until("the provider captures packets of the laptop", async () => control.lines().length > 10, 30);
  await api.ok("DELETE", `/exceptions/${id}`);
  const captured = await control.stop();
  report(`Control: with a bypass of the laptop the provider captured ${captured.length} of its packets, such as`);
  report(`  ${captured[0]}`);
  await byTunnel();
  const capture = await captureOf(net.providers[0]);
  const before = datagrams(await laptop.traffic.report());
  await vpn.kill();
  report(`The VPN server ${vpn.name} is dead. The laptop continues to send for ${deadSec} s ...`);
  await wait(deadSec * 1000);
  const sent = datagrams(await laptop.traffic.report()) - before;
  await vpn.restart();
  await byTunnel();
  const leaked = await capture.stop();
  report(
    `The laptop sent ${sent} datagrams. The provider captured ${leaked.length} packets of it, and the tunnel is up again.`,
  );
  for (const line of leaked.slice(0, 5)) report(`  leaked: ${line}`);
  return { captured: { control: captured.length, protected: leaked.length }, sent };
}
const deadSec = 10;

const datagrams = ({ udp }: { readonly udp: Readonly<Record<"4" | "6", number>> }): number => udp[4] + udp[6];

/** tcpdump at the provider's end of the uplink: what the gateway sends to the web server, from it, or with an address of the LAN. */
async function captureOf(provider: Host) {
  const hosts = [server.v4, server.v6].map((it) => `host ${it}`);
  const networks = ["10.0.0.0/24", "fd00::/64"].map((it) => `net ${it}`);
  const filter = [...hosts, ...networks].join(" or ");
  const tcpdump = provider.start("tcpdump", "-n", "-l", "-Q", "in", "-i", "from-gw", filter);
  const lines: string[] = [];
  const output = createInterface({ input: tcpdump.stdout! });
  output.on("line", (line) => line !== "" && lines.push(line));
  const messages = createInterface({ input: tcpdump.stderr! });
  await new Promise<void>((listening, failed) => {
    messages.on("line", (line) => line.includes("listening on") && listening());
    tcpdump.once("exit", () => failed(new Error("tcpdump ended")));
  });
  return {
    lines: () => lines,
    stop: async (): Promise<readonly string[]> => {
      const ended = once(tcpdump, "close");
      process.kill(-tcpdump.pid!, "SIGINT"); // It prints what it has read, and ends.
      await ended;
      return lines;
    },
  };
}

/** Names of a home: some are blocked. */
const names = ["news.fresh.lab", "video.fresh.lab", "mail.fresh.lab", "ads.example", "tracker.example"];

function keepQuerying(devices: readonly Host[]): AsyncDisposable {
  const ending = new AbortController();
  const done = (async () => {
    for (let turn = 0; !ending.signal.aborted; turn += 1) {
      // A query without an answer is part of the demo: its tunnel may be down.
      for (const device of devices)
        await queryOnce(device, gatewayAddress.v4, names[turn % names.length]!).catch(() => undefined);
      await wait(2000, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  })();
  return {
    [Symbol.asyncDispose]: () => {
      ending.abort();
      return done;
    },
  };
}
