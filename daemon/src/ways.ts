import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import type { Cause } from "./ledger/change.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { bridgeRoutes } from "./subsystems/bridges/bridges.routes.ts";
import { bridgeService } from "./subsystems/bridges/bridges.service.ts";
import { type BridgeReports, noBridges } from "./subsystems/bridges/reports.ts";
import type { Routing } from "./subsystems/routing/routing.service.ts";
import { splittingEndpointService } from "./subsystems/splitting/endpoints.service.ts";
import { noPaths, type SplittingReports, tunnelReports } from "./subsystems/splitting/reports.ts";
import { splittingEndpointRoutes, splittingRoutes } from "./subsystems/splitting/splitting.routes.ts";
import { splittingService } from "./subsystems/splitting/splitting.service.ts";
import { unprobed, type WanReports } from "./subsystems/uplinks/reports.ts";
import { uplinkRoutes } from "./subsystems/uplinks/uplinks.routes.ts";
import { uplinkService } from "./subsystems/uplinks/uplinks.service.ts";

/** What is known of the ways packets take. */
export interface WayReports {
  readonly bridges: BridgeReports;
  readonly wan: WanReports;
  /** What it leaves out is read from the pages of the tunnels. */
  readonly splitting: Partial<SplittingReports>;
}

/** Without a dataplane there are no ways. */
export const restingWays: WayReports = { bridges: noBridges, wan: unprobed, splitting: {} };

interface Needs {
  readonly ledger: Ledger;
  readonly refuseInUse: (kind: string, id: string) => void;
  readonly network: { readonly lan: readonly string[]; readonly wan: string };
  readonly tunnel: (id: string) => Tunnel;
  readonly routing: Pick<Routing, "update" | "apply">;
  readonly enforced: () => Promise<boolean>;
  /** The resolver the gateway itself asks. */
  readonly resolver: string | undefined;
  readonly reports: WayReports;
}

/** Bridges, uplinks and what is spread over tunnels, each knowing of the others as much as it needs. */
export function openWays({ ledger, refuseInUse, network, tunnel, routing, enforced, resolver, reports }: Needs) {
  const { lan, wan } = network;
  const uplinks = uplinkService({ ledger, wan, lan, reports: reports.wan });
  const bridges = bridgeService({
    ledger,
    refuseInUse,
    lan,
    uplinks: uplinks.interfaces,
    reports: reports.bridges,
  });
  const splitting = splittingService({
    ledger,
    stage: (cause, id, hops) => routing.update(cause, id, { hops, splitting: true }),
    apply: (cause: Cause) => {
      routing.apply(cause, undefined);
      return enforced();
    },
    reports: { ...noPaths, ...tunnelReports({ tunnel, upstream: resolver ?? null }), ...reports.splitting },
  });
  return {
    /** Interfaces that belong to the house: nobody else may be called so. */
    interfaces: (): string[] => [...lan, ...uplinks.interfaces(), ...bridges.interfaces()],
    handlers: {
      bridges: bridgeRoutes(bridges),
      splitting: splittingRoutes(splitting),
      splittingEndpoints: splittingEndpointRoutes(splittingEndpointService({ ledger, refuseInUse })),
      uplinks: uplinkRoutes(uplinks),
    },
  };
}
