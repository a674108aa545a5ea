import type { GatewayApi } from "@portcullis/contract/api";
import type { HandlersOf } from "@portcullis/contract/handler";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import type { Network } from "../../compiler/intent.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Readings } from "../../planes/links/inactive.status.ts";
import { bridgeRoutes } from "../../subsystems/bridges/bridges.routes.ts";
import { bridgeService } from "../../subsystems/bridges/bridges.service.ts";
import { interfaceService, type SeenInterface } from "../../subsystems/interfaces/interfaces.service.ts";
import { proxyRoutes } from "../../subsystems/proxies/proxies.routes.ts";
import { proxyService } from "../../subsystems/proxies/proxies.service.ts";
import type { referenceService } from "../../subsystems/records/references.service.ts";
import type { routingService } from "../../subsystems/routing/routing.service.ts";
import type { SecretKeeping } from "../../subsystems/sealed.ts";
import { splittingEndpointService } from "../../subsystems/splitting/endpoints.service.ts";
import { tunnelReports } from "../../subsystems/splitting/reports.ts";
import { splittingEndpointRoutes, splittingRoutes } from "../../subsystems/splitting/splitting.routes.ts";
import { splittingService } from "../../subsystems/splitting/splitting.service.ts";
import { tunnelRoutes } from "../../subsystems/tunnels/tunnels.routes.ts";
import { tunnelService } from "../../subsystems/tunnels/tunnels.service.ts";
import { uplinkRoutes } from "../../subsystems/uplinks/uplinks.routes.ts";
import { uplinkService } from "../../subsystems/uplinks/uplinks.service.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly secrets: SecretKeeping;
  readonly references: ReturnType<typeof referenceService>;
  readonly routing: ReturnType<typeof routingService>;
  readonly network: Pick<Network, "lan" | "wan">;
  /** Ports of the gateway that are taken. */
  readonly reservedPorts: () => readonly number[];
  /** The resolver the gateway itself asks. */
  readonly resolver: string | null;
  readonly readings: Readings;
  readonly egress: () => Promise<readonly TunnelEgress[]>;
  readonly linkUp: (name: string) => boolean;
  readonly interfaces: () => Promise<readonly SeenInterface[]>;
  /** Resolve when the engines have done what they can. */
  readonly enforced: () => Promise<boolean>;
  readonly settled: () => Promise<unknown>;
}

/** What is asked of tunnels, proxies, bridges, splitting, uplinks and interfaces. */
export function hopHandlers({
  ledger,
  secrets,
  references,
  routing,
  network: { lan, wan },
  reservedPorts,
  resolver,
  readings,
  egress,
  linkUp,
  interfaces,
  enforced,
  settled,
}: Needs) {
  const { refuseInUse, refuseNamed } = references;
  const uplinks = uplinkService({ ledger, wan, lan, reports: readings.wan });
  const bridges = bridgeService({ ledger, refuseInUse, lan, uplinks: uplinks.interfaces, reports: readings.bridges });
  const tunnels = tunnelService({
    ledger,
    secrets,
    refuseInUse,
    refuseNamed,
    reservedInterfaces: () => [...lan, ...uplinks.interfaces(), ...bridges.interfaces()],
    condition: readings.tunnel,
  });
  const proxies = proxyService({
    ledger,
    secrets,
    refuseInUse,
    refuseNamed,
    reservedPorts,
    condition: readings.proxy,
  });
  const splitting = splittingService({
    ledger,
    stage: (cause, id, hops) => routing.update(cause, id, { hops, splitting: true }),
    apply: (cause) => {
      routing.apply(cause, undefined);
      return enforced();
    },
    reports: { ...tunnelReports({ tunnel: tunnels.get, upstream: resolver }), linkUp, cover: readings.cover },
  });
  const { refresh } = readings;
  return {
    uplinks: uplinkRoutes({ service: uplinks, enforced }),
    interfaces: interfaceService({ ledger, lan, uplinks: uplinks.interfaces, read: interfaces }),
    bridges: freshly(refresh, bridgeRoutes(bridges)),
    tunnels: freshly(refresh, tunnelRoutes({ service: tunnels, settled, egress }), "egress"),
    proxies: freshly(refresh, proxyRoutes(proxies)),
    tproxy: freshly(refresh, { status: () => readings.tproxy() }),
    splitting: freshly(refresh, splittingRoutes(splitting)),
    splittingEndpoints: splittingEndpointRoutes(splittingEndpointService({ ledger, refuseInUse })),
  } satisfies Partial<{ [S in keyof GatewayApi]: HandlersOf<GatewayApi[S]> }>;
}

/** The same handlers, each answering from what was seen just now, but for those that tell nothing of it. */
function freshly<H extends object>(refresh: () => Promise<void>, handlers: H, ...others: (keyof H)[]): H {
  const fresh = Object.entries(handlers)
    .filter(([name]) => !others.includes(name as keyof H))
    .map(([name, handle]: [string, (...given: never[]) => unknown]) => [
      name,
      async (...given: never[]) => {
        await refresh();
        return handle(...given);
      },
    ]);
  return { ...handlers, ...Object.fromEntries(fresh) } as H;
}
