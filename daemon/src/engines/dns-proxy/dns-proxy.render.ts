import { type Forwarder, forwarderAddresses, type ForwarderSettings, routeOf } from "./dns-proxy.model.ts";

/** Sorted, so that the same upstreams in another order are the same forwarder. */
export function renderForwarder({ port, upstreams }: Forwarder): string {
  const addresses = forwarderAddresses(upstreams);
  const routes = upstreams.map((it) => ({ listen: addresses.get(it.name)!, ...routeOf(it) }));
  const settings: ForwarderSettings = { port, routes: routes.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  return `${JSON.stringify(settings, null, 2)}\n`;
}
