import type { Host, Lab } from "./namespaces.ts";

/** The mark of packets with a route from the gateway to the server. */
export const mark = 0x8000_0002;

/**
 * A gateway and a server with a wire between them. Packets with the mark have a route; nothing else leaves the gateway.
 */
export async function openMinimalTopology(lab: Lab): Promise<{ readonly gateway: Host; readonly server: Host }> {
  const [gateway, server] = [await lab.host("gw"), await lab.host("srv")];
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["198.51.100.2/32"] },
    { host: server, device: "eth0", addresses: ["203.0.113.1/32"] },
  );
  await server.run("ip", "route", "add", "198.51.100.2", "dev", "eth0");
  await gateway.run("ip", "rule", "add", "fwmark", String(mark), "lookup", "7002");
  await gateway.run("ip", "route", "add", "203.0.113.1", "dev", "wan0", "src", "198.51.100.2", "table", "7002");
  return { gateway, server };
}

/** Whether the address answers through this interface. */
export const reaches = async (host: Host, device: string, address: string): Promise<boolean> =>
  host.run("ping", "-c", "1", "-W", "1", "-I", device, address).then(
    () => true,
    () => false,
  );
