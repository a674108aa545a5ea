import type { Guard } from "../../engines/nftables/nftables.model.ts";
import type { Facts } from "../input/facts.ts";
import { type Intent, outsideOf } from "../input/intent.ts";

/**
 * While the first LAN interface does not exist, as after a rename at boot, the guard would accept no new connection from any
 * interface. The operator can then connect to the ports of administration from private addresses, by interfaces that are
 * not an uplink, tunnel or LAN. Nothing is forwarded (decision 42).
 */
export function rescueOf(
  { network, tunnels }: Pick<Intent, "network" | "tunnels">,
  { links, hops }: Pick<Facts, "links" | "hops">,
): NonNullable<Guard["rescue"]> | null {
  const [first = ""] = network.lan;
  if (links.some(({ name }) => name === first)) return null;
  const inUse = [...tunnels, ...hops].map((it) => it.interface);
  const taken = new Set(["lo", ...network.lan, ...outsideOf(network), ...inUse]);
  const interfaces = links.map(({ name }) => name).filter((name) => !taken.has(name));
  const ports = [...new Set([...(network.managementPorts ?? []), ...(network.uplinkPorts ?? [])])];
  return interfaces.length === 0 || ports.length === 0
    ? null
    : { interfaces: interfaces.toSorted(), ports: ports.toSorted((a, b) => a - b) };
}
