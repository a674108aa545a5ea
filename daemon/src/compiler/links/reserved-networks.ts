import type { Reserved } from "../../engines/openvpn/assigned.model.ts";
import type { Facts } from "../input/facts.ts";
import { type Intent, outsideOf } from "../input/intent.ts";

/**
 * Addresses that the server of a tunnel may not assign to the gateway: their real owners could not be reached any more. The engine
 * itself knows addresses of the gateway's own interfaces.
 */
export function reservedNetworks(
  { network, dns, tunnels }: Intent,
  { links }: Facts,
  servers: readonly { readonly address: string }[],
): Reserved[] {
  const ours = new Set([...network.lan, ...outsideOf(network)]);
  const routed = links
    .filter(({ name }) => ours.has(name))
    .flatMap(({ name, networks = [], gateways }) => [
      ...networks.filter((it) => !it.endsWith("/0")).map((it) => ({ network: it, owner: `the network of ${name}` })),
      ...Object.values(gateways ?? {}).map((it) => ({ network: it, owner: `the gateway of ${name}` })),
    ]);
  const resolvers = [
    ...(network.resolvers ?? []),
    ...(dns?.forwarders ?? []).map(({ address }) => address),
    ...(dns?.external ? [dns.external.address] : []),
    ...tunnels.flatMap((it) => it.resolvers),
  ];
  const planned = tunnels.flatMap(({ enabled, config }) =>
    enabled && config.kind === "wireguard" ? config.addresses : [],
  );
  const owned = (addresses: readonly string[], owner: string): Reserved[] =>
    [...new Set(addresses)].map((it) => ({ network: it, owner }));
  return [
    ...routed,
    ...owned(resolvers, "a resolver"),
    ...owned(
      servers.map(({ address }) => address),
      "the server of a tunnel or proxy",
    ),
    ...owned(planned, "another tunnel"),
  ];
}
