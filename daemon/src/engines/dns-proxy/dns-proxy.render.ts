import { type DnsProxy, dnsProxyAddresses, type DnsProxySettings, routeOf } from "./dns-proxy.model.ts";

/** Sorted, so that the same upstreams in another order are the same forwarder. */
export function renderDnsProxy({ port, upstreams }: DnsProxy): string {
  const addresses = dnsProxyAddresses(upstreams);
  const routes = upstreams.map((it) => ({ listen: addresses.get(it.name)!, ...routeOf(it) }));
  const settings: DnsProxySettings = { port, routes: routes.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  return `${JSON.stringify(settings, null, 2)}\n`;
}
