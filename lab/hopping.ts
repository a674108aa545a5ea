import { setTimeout as wait } from "node:timers/promises";
import { temporaryFolder } from "../testing/folder.ts";
import { type LabDaemon, startDaemon } from "./daemon.ts";
import { type Internet, openInternet, type Site, uplinks } from "./internet.ts";
import type { Lab } from "./namespaces.ts";
import { startWireguardServer, type WireguardServer } from "./servers.ts";
import { type Device, monotonicSec, server, type Talk } from "./town.ts";

/** A household behind a gateway, with hops that are real. */
export interface Household extends AsyncDisposable {
  readonly net: Internet;
  daemon: LabDaemon;
  /** A WireGuard server somewhere, and the tunnel to it. */
  wireguard(name: string, number: number): Promise<{ site: Site; server: WireguardServer; id: string }>;
  /** A device of this name whose traffic takes these hops. */
  route(name: string, hops: readonly Hop[], more?: object): Promise<string>;
  apply(): Promise<void>;
  /** Resolves when a tunnel is up; answers how long that took, in seconds. */
  ready(tunnel: string): Promise<number>;
  /** A device that talks from now on. */
  talking(name: string): Promise<Talking>;
}

interface Hop {
  readonly type: string;
  readonly target: string;
}

export interface Talking {
  readonly talk: Talk;
  readonly device: Device;
  /** From which addresses the web server was called of late. */
  who(): Promise<string[]>;
}

export async function openHousehold(lab: Lab, settings: object = {}): Promise<Household> {
  const net = await openInternet(lab);
  // What tunnels are asked whether they are alive, unless somebody says otherwise.
  const probes = await net.site("probes");
  for (const address of ["1.1.1.1", "9.9.9.9"]) {
    await probes.host.run("ip", "address", "add", `${address}/32`, "dev", "lo");
    await net.core.run("ip", "route", "add", `${address}/32`, "via", probes.v4);
  }
  const folder = temporaryFolder();
  const daemon = await startDaemon(
    net.gateway,
    {
      dataplane: { enabled: true },
      network: { lan_iface: "lan0", wan_iface: uplinks[0], default_egress: "block" },
      limits: { requests_per_minute: 1_000_000 },
      ...settings,
    },
    folder,
  );
  const disposals: (() => void)[] = [];
  let devices = 0;
  const house: Household = {
    net,
    daemon,
    wireguard: async (name, number) => {
      const site = await net.site(name);
      const far = await startWireguardServer(site.host, { address: site.v4, number });
      disposals.push(() => far[Symbol.dispose]());
      await forwards(site);
      const { interface: device, privateKey, addresses, peers } = far.client();
      const { id } = (await house.daemon.ok("POST", "/tunnels", {
        name,
        type: "wireguard",
        interface: device,
        config: {
          private_key: privateKey,
          addresses,
          peers: peers.map((it) => ({
            public_key: it.publicKey,
            preshared_key: it.presharedKey,
            endpoint: it.endpoint,
            allowed_ips: it.allowedIps,
          })),
        },
      })) as { id: string };
      return { site, server: far, id };
    },
    route: async (name, hops, more = {}) => {
      devices += 1;
      const device = (await house.daemon.ok("POST", "/devices", { name, mac: `02:00:00:00:00:0${devices}` })) as {
        id: string;
      };
      const { id } = (await house.daemon.ok("POST", "/routing/policies", {
        name,
        source_type: "device",
        source_value: device.id,
        hops,
        fail_policy: "fail-closed",
        ...more,
      })) as { id: string };
      places.set(name, devices);
      await house.apply();
      return id;
    },
    apply: async () => void (await house.daemon.ok("POST", "/routing/policies/apply")),
    ready: async (tunnel) => {
      const started = monotonicSec();
      for (let left = 200; left > 0; left -= 1) {
        const all = (await house.daemon.ok("GET", "/tunnels")) as { name: string; status: string; reason: string }[];
        const it = all.find(({ name }) => name === tunnel);
        if (it?.status === "up") return monotonicSec() - started;
        if (left === 1) throw new Error(`${tunnel} is not up: ${JSON.stringify(it)}`);
        await wait(100);
      }
      return Infinity;
    },
    talking: async (name) => {
      const device = await net.device(name, places.get(name)!);
      const talk = await device.talk(100);
      return {
        talk,
        device,
        who: async () => {
          await net.heard();
          await wait(500);
          const { udp, tcp } = await net.heard();
          const ways = Object.entries(udp).flatMap(([who, it]) =>
            who.startsWith(`${name}-`) ? Object.keys(it.ways) : [],
          );
          return [
            ...new Set([
              ...ways,
              ...tcp
                .filter((it) => it.who === name)
                .slice(-1)
                .map((it) => it.way),
            ]),
          ];
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      await house.daemon.kill();
      await endChildren(folder.path);
      for (const dispose of disposals) dispose();
      folder[Symbol.dispose]();
    },
  };
  const places = new Map<string, number>();
  return house;
}

/** Packets that come out of a tunnel go on with the address of the server. */
async function forwards({ host, v4, v6 }: Site): Promise<void> {
  for (const key of ["net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1"]) await host.run("sysctl", "-qw", key);
  await host.run("nft", "add table inet lab_nat");
  await host.run("nft", "add chain inet lab_nat post { type nat hook postrouting priority srcnat; }");
  await host.run("nft", `add rule inet lab_nat post oifname eth0 ip saddr != ${v4} masquerade`);
  await host.run("nft", `add rule inet lab_nat post oifname eth0 ip6 saddr != ${v6} masquerade`);
}

export { server };

/** What the daemon started goes on without it; a lab must end it. */
async function endChildren(folder: string): Promise<void> {
  const { linux } = await import("../daemon/src/system/system.ts");
  for (const { processId } of linux.findProcesses(`PORTCULLIS_CHILD=${folder}/run/children/`))
    linux.signal(processId, "SIGKILL");
}
