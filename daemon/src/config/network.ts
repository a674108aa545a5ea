import { parseListenAddress } from "./formats.ts";
import type { Bootstrap } from "./keys.ts";
import { rootAnchors } from "../engines/unbound/trust-anchors.model.ts";

/** The network settings of the bootstrap file, as input of compiler and engines. */
export const networkOf = ({
  network: { lan_iface, more_lan_ifaces, lan_address, wan_iface, uplink_ports, default_egress },
  listen,
  dns,
}: Bootstrap) => ({
  lan: [...new Set([lan_iface, ...more_lan_ifaces])],
  lanAddresses: lan_address === "" ? [] : [{ interface: lan_iface, address: lan_address }],
  wan: wan_iface,
  uplinks: [wan_iface],
  uplinkPorts: uplink_ports,
  managementPorts: [22, parseListenAddress(listen.api_addr)!.port],
  defaultEgress: default_egress,
  resolvers: dns.upstream_servers,
  ...(dns.enabled && { dns: dnsOf(dns) }),
});

function dnsOf({
  listen_addr,
  upstream_servers,
  upstream_mode,
  filtering_enabled,
  ca_file,
  trust_anchors,
}: Bootstrap["dns"]) {
  const { host, port } = parseListenAddress(listen_addr)!;
  return {
    listener: { port, address: ["0.0.0.0", "::"].includes(host) ? null : host },
    upstreams: upstream_servers,
    mode: upstream_mode,
    isFiltering: filtering_enabled,
    caFile: ca_file ?? "/etc/ssl/certs/ca-certificates.crt",
    anchors: trust_anchors.length > 0 ? trust_anchors : rootAnchors,
  };
}
