import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { parseListenAddress } from "../../config/formats.ts";
import type { Bootstrap } from "../../config/keys.ts";
import { networkOf } from "../../config/network.ts";
import { internalPortNumbers } from "../../engines/nftables/redirect/redirect.model.ts";
import { interfaceStatus } from "../../host/interfaces.status.ts";
import { programsComponent } from "../../host/programs.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Planes } from "../../planes/planes.ts";
import { bridgeRoutes } from "../../subsystems/bridges/bridges.routes.ts";
import { bridgeService } from "../../subsystems/bridges/bridges.service.ts";
import { interfaceService } from "../../subsystems/interfaces/interfaces.service.ts";
import { proxyRoutes } from "../../subsystems/proxies/proxies.routes.ts";
import { proxyService } from "../../subsystems/proxies/proxies.service.ts";
import type { referenceService } from "../../subsystems/records/references.service.ts";
import type { routingService } from "../../subsystems/routing/routing.service.ts";
import type { SecretKeeping } from "../../subsystems/sealed.ts";
import { splittingEndpointService } from "../../subsystems/splitting/endpoints.service.ts";
import { tunnelStatusSource } from "../../subsystems/splitting/splitting.status.ts";
import { splittingEndpointRoutes, splittingRoutes } from "../../subsystems/splitting/splitting.routes.ts";
import { splittingService } from "../../subsystems/splitting/splitting.service.ts";
import { tunnelRoutes } from "../../subsystems/tunnels/tunnels.routes.ts";
import { tunnelService } from "../../subsystems/tunnels/tunnels.service.ts";
import { uplinkRoutes } from "../../subsystems/uplinks/uplinks.routes.ts";
import { uplinkService } from "../../subsystems/uplinks/uplinks.service.ts";
import { readLinks } from "../../system/network.ts";
import type { System } from "../../system/system.ts";
import { opened } from "../module.ts";
import { freshly } from "./freshly.ts";
import { openLans } from "./lans.ts";
import { linkOperations } from "./link-operations.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly system: System;
  readonly secrets: SecretKeeping;
  readonly references: ReturnType<typeof referenceService>;
  readonly routing: ReturnType<typeof routingService>;
  readonly planes: Planes;
  /** Search path of programs, as in PATH. */
  readonly searchPath: string;
  readonly egress: () => Promise<readonly TunnelEgress[]>;
  readonly now: () => Date;
}

/** Tunnels, proxies, bridges, VLANs, splitting, uplinks and interfaces. */
export function openLinks(needs: Needs) {
  const { bootstrap, ledger, system, secrets, references, routing, planes, egress, now } = needs;
  const { links, dataplane, enforced, linkStatus: status } = planes;
  const { lan: configured, lanAddresses, wan } = networkOf(bootstrap);
  const ownPorts = [bootstrap.listen.api_addr, bootstrap.dns.listen_addr].map((it) => parseListenAddress(it)!.port);
  const programs = () => programsComponent(system, needs.searchPath);
  const { refuseInUse, refuseNamed } = references;
  const ownUplinks = () => uplinks.interfaces();
  const lans = openLans({ ledger, refuseInUse, configured, lanAddresses, uplinks: ownUplinks, planes });
  const { lan } = lans;
  const uplinks = uplinkService({ ledger, wan, lan, statusSource: status.wan });
  const bridges = bridgeService({
    ledger,
    refuseInUse,
    lan: configured,
    uplinks: uplinks.interfaces,
    statusSource: status.bridges,
  });
  const tunnels = tunnelService({
    ledger,
    secrets,
    refuseInUse,
    refuseNamed,
    reservedInterfaces: () => [...lan(), ...uplinks.interfaces(), ...bridges.interfaces(), ...lans.vlanInterfaces()],
    condition: status.tunnel,
  });
  const proxies = proxyService({
    ledger,
    secrets,
    refuseInUse,
    refuseNamed,
    reservedPorts: () => [...ownPorts, ...internalPortNumbers],
    condition: status.proxy,
  });
  const splitting = splittingService({
    ledger,
    stage: (cause, id, hops) => routing.update(cause, id, { hops, splitting: true }),
    apply: (cause) => {
      routing.apply(cause, undefined);
      return enforced();
    },
    statusSource: {
      ...tunnelStatusSource({ tunnel: tunnels.get, upstream: bootstrap.dns.upstream_servers[0] ?? null }),
      linkUp: (name) => readLinks(system).some((link) => link.name === name && link.up),
      cover: status.cover,
    },
    now,
  });
  const whenIdle = () => dataplane.whenIdle().then(links?.whenIdle);
  const read = interfaceStatus(system, now);
  const endpoints = splittingEndpointService({ ledger, refuseInUse });
  return opened({
    operations: { ...lans.operations, ...linkOperations({ tunnels, bridges, proxies, endpoints, uplinks }) },
    /** Installed and missing programs. */
    programs,
    components: links ? [links.component, programs, ...lans.components] : [],
    handlers: {
      uplinks: uplinkRoutes({ service: uplinks, enforced }),
      ...lans.handlers,
      interfaces: interfaceService({ ledger, lan, uplinks: uplinks.interfaces, read }),
      bridges: freshly(status.refresh, bridgeRoutes(bridges)),
      tunnels: freshly(status.refresh, tunnelRoutes({ service: tunnels, whenIdle, egress }), "egress"),
      proxies: freshly(status.refresh, proxyRoutes(proxies)),
      tproxy: freshly(status.refresh, { status: () => status.tproxy() }),
      splitting: freshly(status.refresh, splittingRoutes(splitting)),
      splittingEndpoints: splittingEndpointRoutes(endpoints),
    },
  });
}
