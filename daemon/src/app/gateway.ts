import type { Bootstrap } from "../config/keys.ts";
import { networkOf } from "../config/network.ts";
import { openPlanes } from "../planes/planes.ts";
import { replaceCertificate } from "../http/server.ts";
import type { System } from "../system/system.ts";
import { certificate, listening } from "./listening.ts";
import type { Log } from "./log.ts";
import type { Module } from "./module.ts";
import { openAccess } from "./modules/access.ts";
import { openCaptures } from "./modules/captures.ts";
import { openConfiguration } from "./modules/configuration.ts";
import { openDns } from "./modules/dns.ts";
import { enforcementHandlers } from "./modules/first-enforcement.ts";
import { openHost } from "./modules/host.ts";
import { openInventory } from "./modules/inventory.ts";
import { openLinks } from "./modules/links.ts";
import { openIntegrations } from "./modules/integrations.ts";
import { openMetrics } from "./modules/metrics.ts";
import { openSetup, type Restarting } from "./modules/setup.ts";
import { openRecords } from "./modules/records.ts";
import { openRouting, openTemporary } from "./modules/routing.ts";
import { openViews } from "./modules/views.ts";
import { openWatching } from "./modules/watching.ts";
import { openServer } from "./server.ts";

export interface GatewayOptions {
  readonly bootstrap: Bootstrap;
  /** Keys that the bootstrap file contains; the others have defaults. */
  readonly given: ReadonlySet<string>;
  /** undefined: the daemon runs without a configuration file. */
  readonly restarting?: Restarting | undefined;
  readonly system: System;
  readonly log: Log;
  readonly now: () => Date;
  readonly webFolder: string | undefined;
  /** Validate every response against the contract: for tests and development. */
  readonly checkAnswers: boolean;
}

export interface Gateway {
  /** Opens the API's port; returns the address. */
  listen(): Promise<string>;
  /** The code that creates the first admin account, while there is none. */
  setupCode(): string | undefined;
  close(): Promise<void>;
}

/** The composition root: opens every module with its dependencies, and closes them in reverse order. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { bootstrap, given, restarting, system, log, now, webFolder, checkAnswers } = options;
  const startedAt = now();
  const warn = (message: string, err: unknown) => log.warn({ err }, message);
  system.makeFolder(bootstrap.paths.state, 0o700);
  const fail = (message: string, err: unknown) => log.error({ err }, message);
  const records = await openRecords({ bootstrap, given, system, now, warn, fail });
  const { ledger, live, references, secrets, vault, history, nodeId, alertChannels } = records;
  const { announce } = live;
  const core = { bootstrap, system, now, warn, ledger, references, secrets, vault, announce, nodeId, alertChannels };

  // Nothing is awaited between the planes and those who receive their events.
  const access = await openAccess({ ...core, live });
  const tls = await certificate(core);
  const temporary = openTemporary({ ...core, onChange: () => dataplane.wake() });
  const { exceptions } = temporary;
  const planes = openPlanes({
    ...core,
    network: networkOf(bootstrap),
    exceptions: temporary.active,
    reveal: (id, secretVersion) => vault.reveal(id, secretVersion),
    announce: (name, payload) => {
      announce(name, payload);
      watching.onEvent(name, payload);
      metrics.onEvent(name, payload);
    },
    complain: (message) => log.error(message),
  });
  const { dataplane, enforcement, enforced, sightings } = planes;
  const { latest: compiled, whenIdle } = dataplane;
  const notEnforced = () => enforcement.withheld() ?? null;
  const views = openViews({ ...core, exceptions: temporary.active, planes });
  const { explain } = views;
  const policies = openRouting({ ...core, history, temporary, planes, explain, enforced, whenIdle, notEnforced });
  const searchPath = process.env["PATH"] ?? "";
  const links = openLinks({ ...core, routing: policies.routing, planes, egress: explain.egress, searchPath });
  if (planes.links) log.info(links.programs().message);
  const dns = openDns({ ...core, resolving: planes.dns, compiled, enforced: dataplane.enforced });
  const inventory = openInventory({ ...core, sightings, clients: dns.clients });
  const watching = openWatching({ ...core, tls, planes, dns, exceptions, inventory, explain, notEnforced });
  const forwarding = { components: [enforcement.component, dataplane.health, ...policies.components] };
  const reporting: readonly Pick<Module, "components">[] = [records, access, forwarding, links, views, dns, watching];
  const components = reporting.flatMap((it) => it.components ?? []);
  const integrations = openIntegrations({ ...core, live, planes, dns, watching, pauses: temporary.pauses, components });
  const reported = [...components, ...integrations.components];
  const host = openHost({ ...core, dataplane, startedAt, tls, notEnforced, components: reported });
  const metrics = openMetrics({ ...core, live, planes, views, links, dns, watching, temporary, host, notEnforced });
  const captures = openCaptures({ ...core, access, links });
  const setup = openSetup({ ...core, restarting, enforcement, access, links });
  const documented = [records, inventory, policies, links, dns, watching, integrations];
  const configuration = openConfiguration({ ...core, history, policies, enforced, notEnforced, documented });
  const server = openServer({
    bootstrap,
    ledger,
    auth: access.auth,
    tls: tls?.current(),
    webFolder,
    checkAnswers,
    log,
    onAnswer: metrics.onAnswer,
    handlers: {
      ...records.handlers,
      ...access.handlers,
      ...host.handlers,
      ...setup.handlers,
      ...inventory.handlers,
      ...policies.handlers,
      ...links.handlers,
      ...dns.handlers,
      ...watching.handlers,
      ...views.handlers,
      ...metrics.handlers,
      ...integrations.handlers,
      ...configuration.handlers,
      ...captures.handlers,
      firstEnforcement: enforcementHandlers({ enforcement, ledger, whenIdle }),
    },
  });
  tls?.onReplaced((pair) => replaceCertificate(server, pair));
  const port = listening({ app: server, bootstrap, given, log });
  ledger.watch(({ revision }) => revision !== undefined && dataplane.wake());
  await enforcement.recover();
  dataplane.wake();
  await dataplane.whenIdle();
  return {
    listen: port.open,
    setupCode: access.setupCode,
    close: async () => {
      live.announce("daemon.stopping", {});
      live.close();
      records.stopTimers();
      policies.close();
      await captures.close();
      await Promise.all([server.close(), port.close()]);
      await integrations.close();
      await watching.close();
      await planes.close();
      dns.close();
      records.close();
    },
  };
}
