import type { Host, Lab } from "./namespaces.ts";

/** Of the daemon on the gateway of this network. */
export const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  dataplane: { enabled: true, confirm_first_sec: 0 },
};

/** The MAC address of the client, and the address of the host outside. */
export const network = { mac: "02:00:00:00:00:07", target: "10.79.0.2" } as const;

/** A gateway with one client on a large LAN, which has no address yet, and one host outside. */
export async function openNetwork(lab: Lab): Promise<Readonly<Record<"gateway" | "client" | "outside", Host>>> {
  const [gateway, client, outside] = [await lab.host("gw"), await lab.host("client"), await lab.host("outside")];
  // Its own announcements would be those of one more device.
  await client.run("sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1");
  await lab.cable(
    { host: gateway, device: "lan0", addresses: ["10.77.0.1/16"] },
    { host: client, device: "eth0", mac: network.mac, addresses: [] },
  );
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["10.79.0.1/24"] },
    { host: outside, device: "eth0", addresses: [`${network.target}/24`] },
  );
  await gateway.run("ip", "route", "add", "default", "via", network.target);
  return { gateway, client, outside };
}
