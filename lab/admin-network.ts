import { startScript } from "./script.ts";
import type { LabDaemon } from "./daemon.ts";
import type { Host, Lab } from "./namespaces.ts";
import { type JsonScript, startJsonScript } from "./json-script.ts";

/** A gateway with a service on ports 22 and 2222, a client on its LAN side and one on its uplink side. */
export interface AdminNetwork {
  readonly gateway: Host;
  readonly inside: Host;
  readonly outside: Host;
  /** Connects to port 22 of the gateway without a pause, from either side. */
  readonly connects: { readonly inside: JsonScript; readonly outside: JsonScript };
}

/** Results of the connections to port 22 since the previous report. */
export interface Connects {
  readonly answered: number;
  readonly failed: number;
  readonly last: boolean;
}

export const addresses = { lan: "10.77.0.1", inside: "10.77.0.2", wan: "198.51.100.2", outside: "198.51.100.1" };

/** The gateway's interfaces are called enp1s0 (uplink) and enp2s0 (LAN). */
export async function openAdminNetwork(lab: Lab): Promise<AdminNetwork> {
  const [gateway, inside, outside] = [await lab.host("gw"), await lab.host("lan"), await lab.host("out")];
  await lab.cable(
    { host: gateway, device: "enp1s0", addresses: [`${addresses.wan}/24`] },
    { host: outside, device: "eth0", addresses: [`${addresses.outside}/24`] },
  );
  await lab.cable(
    { host: gateway, device: "enp2s0", addresses: [`${addresses.lan}/24`] },
    { host: inside, device: "eth0", addresses: [`${addresses.inside}/24`] },
  );
  await inside.run("ip", "route", "add", "default", "via", addresses.lan);
  await startScript(gateway, "lab/sshd.py", "22", "2222");
  await startScript(outside, "lab/sshd.py", "22");
  const connects = {
    inside: await startJsonScript(inside, "connects.py", addresses.lan, "22"),
    outside: await startJsonScript(outside, "connects.py", addresses.wan, "22"),
  };
  return { gateway, inside, outside, connects };
}

export const reportOf = async (script: JsonScript): Promise<Connects> => (await script.request("report")) as Connects;

/** Everything of ours in the kernel; empty when there is nothing. */
export async function kernelState(gateway: Host): Promise<string> {
  const tables = await gateway.run("nft", "list", "tables");
  const rules = await gateway.run("sh", "-c", "ip -4 rule; ip -6 rule");
  return [
    ...tables.split("\n").filter((it) => it.includes("portcullis")),
    ...(rules.match(/^7\d{3}:.*$/gm) ?? []),
  ].join("\n");
}

export const isForwarding = async (gateway: Host): Promise<boolean> =>
  (await gateway.run("sysctl", "-n", "net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding")) !== "0\n0\n";

export async function rename(host: Host, from: string, to: string): Promise<void> {
  await host.run("ip", "link", "set", from, "down");
  await host.run("ip", "link", "set", from, "name", to);
  await host.run("ip", "link", "set", to, "up");
}

/** One connection, and whether it was answered. */
export const answers = async (from: Host, address: string, port: number): Promise<boolean> => {
  const script = `import socket,sys
try: sys.exit(socket.create_connection(("${address}", ${port}), timeout=1.5).recv(3) != b"SSH")
except OSError: sys.exit(1)`;
  return from.run("python3", "-c", script).then(
    () => true,
    () => false,
  );
};

/** The gateway's own interfaces, and those of another machine. */
export const right = { network: { wan_iface: "enp1s0", lan_iface: "enp2s0", default_egress: "direct" } };
export const wrong = { network: { wan_iface: "eth0", lan_iface: "eth1", default_egress: "direct" } };

/** What the gateway reports about it. */
export const enforcement = async (daemon: LabDaemon) => {
  const { components } = (await daemon.ok("GET", "/observer")) as {
    components: { name: string; status: string; message: string }[];
  };
  return components.find(({ name }) => name === "enforcement")!;
};
