import type { Bridges } from "../../subsystems/bridges/bridges.service.ts";
import { crudOperations, type Operations } from "../../subsystems/configuration/operations.ts";
import type { Proxies } from "../../subsystems/proxies/proxies.service.ts";
import type { SplittingEndpoints } from "../../subsystems/splitting/endpoints.service.ts";
import type { Tunnels } from "../../subsystems/tunnels/tunnels.service.ts";
import type { Uplinks } from "../../subsystems/uplinks/uplinks.service.ts";

interface Services {
  readonly tunnels: Tunnels;
  readonly bridges: Bridges;
  readonly proxies: Proxies;
  readonly endpoints: SplittingEndpoints;
  readonly uplinks: Pick<Uplinks, "put">;
}

/** The operations of the sections about links in a configuration document. */
export const linkOperations = ({ tunnels, bridges, proxies, endpoints, uplinks }: Services) =>
  ({
    tunnel: crudOperations(tunnels),
    bridge: crudOperations(bridges),
    proxy: crudOperations(proxies),
    splitting_endpoint: crudOperations(endpoints),
    uplinks: { put: uplinks.put },
  }) satisfies Operations;
