import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { linux } from "../daemon/src/system/system.ts";
import { until } from "../testing/deadline.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { type LabDaemon, startApiClient, startDaemon, startAndKill } from "./daemon.ts";
import { type Internet, openInternet, type Site, uplinks } from "./internet.ts";
import { killSupervised } from "./leftovers.ts";
import type { Lab } from "./namespaces.ts";
import { type FarEnd, startOpenvpnServer, startSocksServer, startWireguardServer } from "./servers.ts";
import type { Device, Traffic } from "./topology-devices.ts";

/** A LAN behind a gateway, with real hops: each has a server somewhere on the Internet. */
export interface HopTopology extends AsyncDisposable {
  readonly net: Internet;
  /** Where the daemon keeps its state, and what lives as long as the machine does. */
  readonly folders: { readonly state: string; readonly run: string };
  readonly api: Pick<LabDaemon, "request" | "ok">;
  /** A server whose profile is not imported into the gateway yet. */
  wireguardServer(name: string): Promise<{ readonly site: Site; readonly file: string }>;
  /** One that is not enabled does not connect yet. */
  wireguard(name: string, enabled?: boolean, ipv6?: boolean): Promise<HopServer>;
  /** Its server requires a password unless `isByCertificate`. */
  openvpn(name: string, enabled?: boolean, isByCertificate?: boolean): Promise<HopServer>;
  proxy(name: string): Promise<HopServer>;
  /** A device of this name, and a policy that sends it by these hops. It begins to talk. */
  addClient(name: string, hops: readonly HopServer[], policy?: object): Promise<HopClient>;
  apply(): Promise<void>;
  /** SIGKILL of the daemon; a new one comes back to its state. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** SIGTERM of the daemon, and its end. */
  stop(): Promise<void>;
  /** A daemon that begins, and is killed so long afterwards. */
  startAndKill(afterMs: number): Promise<void>;
  /** Of the daemon as it runs now. */
  processId(): number;
  /** Children that the daemon keeps: their process ids by name. */
  processes(): ReadonlyMap<string, number>;
  /** The process that runs this hop. */
  programOf(hop: HopServer): Promise<{ readonly name: string; readonly processId: number }>;
  /** SIGKILL to the process on the gateway that runs this hop. */
  killProgram(hop: HopServer): Promise<void>;
}

export interface HopServer extends FarEnd {
  readonly kind: "wireguard" | "openvpn" | "proxy";
  readonly name: string;
  readonly id: string;
  readonly site: Site;
  readonly port: number;
  /** On the gateway; a proxy has none. */
  readonly interface: string | undefined;
  /** Every address it ever had, the last one first. */
  addresses(): readonly string[];
  /** Gives the server another address; its name leads there from now on. */
  move(): Promise<void>;
}

export interface HopClient {
  readonly name: string;
  readonly device: Device;
  readonly policyId: string;
  readonly traffic: Traffic;
  /** From which addresses the web server was called within the last moments. */
  readonly seenFrom: () => Promise<string[]>;
}

export const hopOf = ({ kind, name }: HopServer) => ({ type: kind === "proxy" ? "proxy" : "vpn", target: name });

/**
 * Settings may depend on hosts of the Internet: then the function is called before the daemon starts. The daemon finds
 * programs in `programs` before the system's.
 */
export async function openHopTopology(
  lab: Lab,
  settings: object | ((net: Internet) => Promise<object>) = {},
  programs?: string,
): Promise<HopTopology> {
  const net = await openInternet(lab);
  const disposals: (() => void | Promise<void>)[] = [];
  await addProbeTargets(net);
  const phonebook = openHostsFile(net.gateway.namespace);
  disposals.push(phonebook.close);
  const folder = temporaryFolder();
  const config = {
    dataplane: { enabled: true, confirm_first_sec: 0 },
    network: { lan_iface: "lan0", wan_iface: uplinks[0], default_egress: "block" },
    limits: { requests_per_minute: 1_000_000 },
    ...(typeof settings === "function" ? await settings(net) : settings),
  };
  const start = () => startDaemon(net.gateway, config, { ...folder, [Symbol.dispose]: () => {} }, programs);
  let daemon = await start();
  const api = await startApiClient(net.gateway, config);
  const processes = (): ReadonlyMap<string, number> =>
    new Map(
      linux
        .findProcesses(`PORTCULLIS_CHILD=${folder.path}/run/children/`)
        .map(({ processId, word }) => [/\/([^/]+)#/.exec(word)![1]!, processId]),
    );
  disposals.push(async () => {
    await daemon.kill();
    killSupervised(`${folder.path}/run`);
    folder[Symbol.dispose]();
  });

  let servers = 0;
  async function settleServer(name: string) {
    servers += 1;
    const site = await net.site(name);
    await masquerade(site);
    phonebook.write(name, site.v4);
    return { site, host: phonebook.nameOf(name), number: servers };
  }
  async function wireguardServer(name: string, ipv6 = false) {
    const { site, host, number } = await settleServer(name);
    const far = await startWireguardServer(site.host, { address: site.v4, number, ipv6 });
    const { interface: device, privateKey, addresses, peers } = far.client();
    const [peer] = peers;
    const file = `[Interface]
PrivateKey = ${privateKey}
Address = ${addresses.join(", ")}
[Peer]
PublicKey = ${peer!.publicKey}
PresharedKey = ${peer!.presharedKey}
AllowedIPs = 0.0.0.0/0, ::/0
Endpoint = ${host}:51820
`;
    return { site, far, interface: device, file };
  }
  function hopServer(
    kind: HopServer["kind"],
    name: string,
    it: { id: string; site: Site; port: number; interface?: string; far: FarEnd & Partial<Disposable> },
  ): HopServer {
    disposals.push(() => it.far[Symbol.dispose]?.());
    let addresses: readonly string[] = [it.site.v4];
    return {
      ...it.far,
      addresses: () => addresses,
      kind,
      name,
      id: it.id,
      site: it.site,
      port: it.port,
      interface: it.interface,
      move: async () => {
        const next = await net.move(it.site, it.port);
        addresses = [next, ...addresses];
        phonebook.write(name, next);
      },
    };
  }

  async function programOf({ kind, interface: device, id }: HopServer): Promise<{ name: string; processId: number }> {
    const { redirectors } = (await api.ok("GET", "/tproxy/status")) as {
      redirectors: { proxy_id: string; port: number }[];
    };
    const what = kind === "proxy" ? redirectors.find((it) => it.proxy_id === id)!.port : device!;
    let found: readonly [string, number] | undefined;
    const find = () => (found = [...processes()].find(([name]) => name.endsWith(`.${what}`)));
    // It may have crashed a moment ago, and be restarting.
    await until("its program runs", async () => find() !== undefined, 10);
    const [name, processId] = found!;
    return { name, processId };
  }

  let devices = 0;
  const reader = openWebObserver(net);
  return {
    net,
    folders: { state: `${folder.path}/state`, run: `${folder.path}/run` },
    api,
    wireguardServer,
    wireguard: async (name, enabled = true, ipv6 = false) => {
      const { site, far, interface: device, file } = await wireguardServer(name, ipv6);
      const body = { name, interface: device, config: file, enabled };
      const { id } = (await api.ok("POST", "/tunnels/import-wireguard", body)) as Made;
      return hopServer("wireguard", name, { id, site, port: 51_820, interface: device, far });
    },
    openvpn: async (name, enabled = true, isByCertificate = false) => {
      const { site, host, number } = await settleServer(name);
      const credentials = isByCertificate ? undefined : { username: "lab", password: "secret of the lab" };
      const options = credentials ? { credentials } : {};
      const far = await startOpenvpnServer(site.host, { address: "0.0.0.0", number, ...options });
      const { interface: device, blocks } = far.client();
      const config = [
        "client\ndev tun\nproto udp\nremote-cert-tls server",
        ...(credentials ? ["auth-user-pass"] : []),
        `remote ${host} 1194`,
        ...Object.entries(blocks).map(([tag, text]) => `<${tag}>\n${text}</${tag}>`),
        "",
      ].join("\n");
      const body = { name, interface: device, config, enabled, ...credentials };
      const { id } = (await api.ok("POST", "/tunnels/upload-ovpn", body)) as Made;
      return hopServer("openvpn", name, { id, site, port: 1194, interface: device, far });
    },
    proxy: async (name) => {
      const { site, host } = await settleServer(name);
      const far = await startSocksServer(site.host, { port: 1080 });
      const body = { name, kind: "upstream", address: `${host}:1080` };
      const { id } = (await api.ok("POST", "/proxies", body)) as Made;
      return hopServer("proxy", name, { id, site, port: 1080, far });
    },
    addClient: async (name, hops, policy = {}) => {
      const index = (devices += 1);
      const device = await net.device(name, index);
      const made = (await api.ok("POST", "/devices", { name, mac: device.mac })) as Made;
      const { id: policyId } = (await api.ok("POST", "/routing/policies", {
        name,
        source_type: "device",
        source_value: made.id,
        hops: hops.map(hopOf),
        fail_policy: "fail-closed",
        ...policy,
      })) as Made;
      return { name, device, policyId, traffic: await device.sendTraffic(100), seenFrom: () => reader.callers(name) };
    },
    apply: async () => void (await api.ok("POST", "/routing/policies/apply")),
    kill: () => daemon.kill(),
    restart: async () => void (daemon = await start()),
    stop: () => daemon.stop(),
    startAndKill: (afterMs) => startAndKill(net.gateway, config, folder, afterMs),
    processId: () => daemon.processId,
    processes,
    programOf,
    killProgram: async (hop) => linux.signal(-(await programOf(hop)).processId, "SIGKILL"),
    [Symbol.asyncDispose]: async () => {
      for (const dispose of disposals.toReversed()) await dispose();
    },
  };
}

interface Made {
  readonly id: string;
}

/** The default targets of health probes. */
async function addProbeTargets(net: Internet): Promise<void> {
  const { host, v4 } = await net.site("probes");
  for (const address of ["1.1.1.1/32", "9.9.9.9/32"]) {
    await host.run("ip", "address", "add", address, "dev", "lo");
    await net.core.run("ip", "route", "add", address, "via", v4);
  }
}

/** Packets that come out of a tunnel go on with the address of the server. */
async function masquerade({ host }: Site): Promise<void> {
  for (const key of ["net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1"]) await host.run("sysctl", "-qw", key);
  await host.run("nft", "add table inet lab_nat");
  await host.run("nft", "add chain inet lab_nat post { type nat hook postrouting priority srcnat; }");
  await host.run("nft", "add rule inet lab_nat post oifname eth0 iifname != eth0 masquerade");
}

/** Names of servers, as the gateway finds them in its /etc/hosts. */
function openHostsFile(namespace: string) {
  const folder = `/etc/netns/${namespace}`;
  mkdirSync(folder, { recursive: true });
  const numbers = new Map<string, string>();
  const nameOf = (name: string) => `${name}.example.net`;
  const write = (name?: string, address?: string) => {
    if (name !== undefined && address !== undefined) numbers.set(name, address);
    const lines = [...numbers].map(([known, at]) => `${at} ${nameOf(known)}`);
    // In place: what is shown inside the namespace is this very file.
    writeFileSync(`${folder}/hosts`, ["127.0.0.1 localhost", ...lines, ""].join("\n"));
  };
  write();
  return { nameOf, write, close: () => rmSync(folder, { recursive: true, force: true }) };
}

/** One report serves all clients: each report resets the egresses. */
function openWebObserver(net: Internet) {
  let turn: Promise<Map<string, Set<string>>> | undefined;
  async function listen(): Promise<Map<string, Set<string>>> {
    const before = (await net.webReport()).tcp;
    await wait(observeMs);
    const { udp, tcp } = await net.webReport();
    const callers = new Map<string, Set<string>>();
    const record = (who: string, egress: string) => callers.set(who, (callers.get(who) ?? new Set()).add(egress));
    for (const [who, { egresses }] of Object.entries(udp))
      for (const egress of Object.keys(egresses)) record(who.slice(0, -2), egress);
    // Connections are listed in the order they came, and for ever.
    for (const [index, { who, egress, bytes }] of tcp.entries())
      if (bytes > (before[index]?.bytes ?? 0)) record(who, egress);
    return callers;
  }
  return {
    callers: async (name: string): Promise<string[]> => {
      await turn; // A report that began before this call is too old.
      turn ??= listen().finally(() => (turn = undefined));
      return [...((await turn).get(name) ?? [])];
    },
  };
}
const observeMs = 250;
