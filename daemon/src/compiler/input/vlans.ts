import type { Facts } from "./facts.ts";
import type { Network } from "./intent.ts";

/**
 * The VLAN number of an interface. That of a VLAN of the gateway is known before the kernel has its interface: the rules for its
 * devices are in force when the first packet arrives.
 */
export const vlanOf = (
  name: string,
  { vlans = [] }: Pick<Network, "vlans">,
  { links }: Pick<Facts, "links">,
): number | undefined =>
  vlans.find((it) => it.interface === name)?.id ?? links.find((link) => link.name === name)?.vlan;
