import { because, type Reason } from "@portcullis/contract/reason";
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
      ...owned(
        networks.filter((it) => !it.endsWith("/0")),
        because("owner_network", { interface: name }),
      ),
      ...owned(Object.values(gateways ?? {}), because("owner_gateway", { interface: name })),
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
  return [
    ...routed,
    ...owned(resolvers, because("owner_resolver")),
    ...owned(
      servers.map(({ address }) => address),
      because("owner_server"),
    ),
    ...owned(planned, because("owner_other_tunnel")),
  ];
}

const owned = (addresses: readonly string[], owner: Reason): Reserved[] =>
  [...new Set(addresses)].map((it) => ({ network: it, owner }));
