import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { api } from "@portcullis/contract/api";
import { Problem, type ProblemCode } from "@portcullis/contract/problem";
import { version } from "@portcullis/contract/version";
import { bootstrapEntries } from "../config/entries.ts";
import { parseListenAddress } from "../config/formats.ts";
import type { Bootstrap } from "../config/keys.ts";
import { build } from "./build.ts";
import { carrierReadings } from "../planes/links/links.status.ts";
import { openDnsPlane } from "./modules/dns.ts";
import { openDoor } from "./modules/access.ts";
import { egressComponent } from "../planes/forwarding/egress.status.ts";
import { indoorPortNumbers } from "../engines/nftables/proxies.model.ts";
import { enforcementHandlers } from "./modules/first-enforcement.ts";
import { hitReadings } from "../planes/forwarding/hits.status.ts";
import { hopHandlers } from "./modules/links.ts";
import { openLive } from "../http/live.ts";
import { documentHandlers } from "../http/pages.ts";
import { createServer } from "../http/server.ts";
import { interfaceReadings } from "../host/interfaces.status.ts";
import { kinds, referring } from "./resource-kinds.ts";
import type { Refusal } from "../ledger/change.ts";
import { openLedger } from "../ledger/ledger.ts";
import { type Log, requestLog } from "./log.ts";
import { certificate, listening } from "./listening.ts";
import { openMachinery } from "../planes/planes.ts";
import { networkOf } from "../config/network.ts";
import { restingReadings } from "../planes/links/inactive.status.ts";
import { platformOf } from "../host/platform.ts";
import { openPrivacyPlane } from "./modules/privacy.ts";
import { programsComponent } from "../host/programs.ts";
import { seenDevices } from "../monitors/seen-devices.ts";
import { explainer } from "../explain/explainer.ts";
import { privacyClassRoutes, trustClassRoutes } from "../subsystems/classes/classes.routes.ts";
import { privacyClassService, trustClassService } from "../subsystems/classes/classes.service.ts";
import { deviceGroupRoutes, deviceRoutes } from "../subsystems/devices/devices.routes.ts";
import { deviceService } from "../subsystems/devices/devices.service.ts";
import { deviceGroupService } from "../subsystems/devices/groups.service.ts";
import { exceptionRoutes } from "../subsystems/exceptions/exceptions.routes.ts";
import { exceptionService } from "../subsystems/exceptions/exceptions.service.ts";
import { exceptionStore } from "../subsystems/exceptions/exceptions.store.ts";
import { watchExpiry } from "../subsystems/exceptions/expiry.ts";
import { watchDeadline } from "../subsystems/history/deadline.ts";
import { changeRoutes, snapshotRoutes } from "../subsystems/history/history.routes.ts";
import { historyService } from "../subsystems/history/history.service.ts";
import { keepHouse } from "../subsystems/history/housekeeping.ts";
import { idNamed } from "../subsystems/lookup.ts";
import { auditRoutes, referenceRoutes } from "../subsystems/records/records.routes.ts";
import { referenceService } from "../subsystems/records/references.service.ts";
import { chainService, profileService } from "../subsystems/routing/profiles.service.ts";
import { chainRoutes, profileRoutes, routingRoutes } from "../subsystems/routing/routing.routes.ts";
import { routingService } from "../subsystems/routing/routing.service.ts";
import { secretRoutes } from "../subsystems/secrets/secrets.routes.ts";
import { secretService } from "../subsystems/secrets/secrets.service.ts";
import { openVault } from "../subsystems/secrets/vault.ts";
import { nodeIdentity } from "../subsystems/settings/identity.ts";
import { settingRoutes } from "../subsystems/settings/settings.routes.ts";
import { settingService } from "../subsystems/settings/settings.service.ts";
import { statusRoutes } from "../subsystems/status/status.routes.ts";
import { pinOf } from "../system/certificate.ts";
import { sinceBootMs } from "../system/clock.ts";
import { hostName } from "../system/machine.ts";
import { readLinks } from "../system/network.ts";
import type { System } from "../system/system.ts";
import { viewHandlers } from "./modules/views.ts";

export interface GatewayOptions {
  readonly bootstrap: Bootstrap;
  /** Keys that stand in the bootstrap file; the others are defaults. */
  readonly given: ReadonlySet<string>;
  readonly system: System;
  readonly log: Log;
  readonly now: () => Date;
  readonly webFolder: string | undefined;
  /** Hold every answer against the contract: for tests and development. */
  readonly checkAnswers: boolean;
}

export interface Gateway {
  /** Opens the front door; answers the address it listens on. */
  listen(): Promise<string>;
  /** The code that creates the first admin account, while there is none. */
  setupCode(): string | undefined;
  close(): Promise<void>;
}

/** The composition root: the one file that knows every room. It hands each what it needs and decides nothing. */
export async function createGateway({
  bootstrap,
  given,
  system,
  log,
  now,
  webFolder,
  checkAnswers,
}: GatewayOptions): Promise<Gateway> {
  const startedAt = now();
  const { limits, paths, network } = bootstrap;
  system.makeFolder(paths.state, 0o700);

  const warn = (sentence: string, err: unknown) => log.warn({ err }, sentence);
  const ledger = openLedger({
    path: join(paths.state, "portcullis.db"),
    kinds,
    now,
    refuse,
    keepRevisions: limits.snapshots_kept,
  });
  const nodeId = nodeIdentity(ledger.database);
  const live = openLive({ now, streamsMost: limits.event_streams });

  const references = referenceService({ ledger, kinds: referring });
  const { refuseInUse } = references;
  const vault = await openVault({
    ledger,
    file: fallbackFile(system, join(paths.state, "secrets.passphrase")),
    warn,
  });
  const secrets = secretService({ ledger, vault, now, refuseInUse });
  const settings = settingService({
    ledger,
    nodeId,
    bootstrap: bootstrapEntries(bootstrap, given),
    secrets: {
      isSet: (key) => secrets.isSet("setting", key),
      set: (cause, key, value) => secrets.set(cause, "setting", key, value),
      unset: (cause, key) => secrets.unset(cause, "setting", key),
    },
  });
  const exceptions = exceptionService({
    ledger,
    store: exceptionStore(ledger.database),
    now,
    monotonicMs: sinceBootMs,
    announce: live.announce,
    onChange: () => dataplane.wake(),
  });
  const { dataplane, carriers, resolving, ...machinery } = openMachinery({
    bootstrap,
    network: networkOf(bootstrap),
    ledger,
    system,
    now,
    exceptions: exceptions.active,
    reveal: (id, secretVersion) => vault.reveal(id, secretVersion),
    announce: (name, payload) => {
      live.announce(name, payload);
      privacy.hear(name, payload);
    },
    warn,
    complain: (sentence) => log.error(sentence),
  });
  const notEnforced = () => machinery.enforcement.withheld() ?? null;
  const programs = () => programsComponent(system, process.env["PATH"] ?? "");
  if (carriers) log.info(programs().message);
  const readings = carriers
    ? carrierReadings({ system, carriers, traffic: dataplane.proxyTraffic, now })
    : restingReadings;
  const explain = explainer({
    ledger,
    exceptions: exceptions.active,
    network: dataplane.network,
    world: dataplane.world,
    surroundings: dataplane.surroundings,
    condition: readings.tunnel,
    hits: hitReadings({ hits: dataplane.hits, monotonicMs: () => performance.now() }),
    now,
    pause: () => nextTurn(),
  });
  const egress = egressComponent({ counts: explain.standings, version: dataplane.latest });
  const routing = routingService({ ledger, findings: explain.findings, contradictions: explain.contradictions });
  const hops = hopHandlers({
    ledger,
    secrets,
    references,
    routing,
    network: networkOf(bootstrap),
    reservedPorts: () => [
      ...[bootstrap.listen.api_addr, bootstrap.dns.listen_addr].map((it) => parseListenAddress(it)!.port),
      ...indoorPortNumbers,
    ],
    resolver: bootstrap.dns.upstream_servers[0] ?? null,
    readings,
    egress: explain.egress,
    linkUp: (name) => readLinks(system).some((link) => link.name === name && link.up),
    interfaces: interfaceReadings(system, now),
    enforced: machinery.enforced,
    settled: () => dataplane.settled().then(carriers?.settled),
  });
  const { latest: compiled, enforced } = dataplane;
  const names = openDnsPlane({ bootstrap, ledger, system, secrets, resolving, compiled, enforced, now, warn });
  const devices = deviceService({ ledger, now, refuseInUse, seen: seenDevices(machinery.sightings, names.clients) });
  const classes = privacyClassService({ ledger, refuseInUse });
  const privacy = openPrivacyPlane({
    bootstrap,
    ledger,
    system,
    dataplane,
    devices,
    classes,
    exceptions,
    standings: explain.standings,
    enforced: machinery.enforced,
    notEnforced,
    isForwarding: machinery.enforcement.isForwarding,
    named: async () => resolving?.written(),
    announce: live.announce,
    now,
    pause: () => nextTurn(),
    warn,
  });
  const history = historyService({ ledger, now, announce: live.announce });

  const { auth, ...door } = await openDoor({ bootstrap, ledger, vault, system, live, now });

  const tls = bootstrap.tls.enabled ? await certificate(bootstrap, system, now) : undefined;

  const app = createServer({
    api,
    identify: auth.identify,
    idOf: (kind, word, place) => idNamed(ledger.staged(kind), kind, word, place),
    ownNames: [hostName().toLowerCase(), ...bootstrap.listen.hosts.map((name) => name.toLowerCase())],
    tls,
    limits: {
      requestsPerMinute: limits.requests_per_minute,
      loginsPerMinute: limits.logins_per_minute,
      bodyBytes: limits.body_bytes,
      requestTimeoutSec: limits.request_timeout_sec,
    },
    webFolder,
    checkAnswers,
    nowMs: () => performance.now(),
    log: requestLog(log),
    handlers: {
      auth: door.handlers,
      status: statusRoutes({
        now,
        components: [
          () => ({ name: "ledger", status: "ok", message: `revision ${ledger.revision()}` }),
          () => vault.health(),
          door.component,
          machinery.enforcement.component,
          dataplane.health,
          ...(carriers ? [carriers.component, programs, egress] : []),
          ...names.components,
        ],
        platform: () => platformOf(system, paths.state, ledger.releases.pending() !== undefined),
        status: () => ({
          name: "portcullisd",
          version,
          build,
          ready: dataplane.isReady(),
          started_at: startedAt.toISOString(),
          uptime_sec: Math.floor((now().getTime() - startedAt.getTime()) / 1000),
          node_id: nodeId,
          mode: network.mode,
          dataplane_enabled: bootstrap.dataplane.enabled,
          revision: ledger.revision(),
          applied_revision: dataplane.appliedRevision(),
          tls_pin: tls ? pinOf(tls) : null,
          not_enforced: notEnforced(),
        }),
      }),
      devices: deviceRoutes(devices),
      deviceGroups: deviceGroupRoutes(deviceGroupService({ ledger, refuseInUse })),
      trustClasses: trustClassRoutes(trustClassService({ ledger, refuseInUse })),
      privacyClasses: privacyClassRoutes(classes),
      routing: routingRoutes({
        ledger,
        service: routing,
        current: history.current,
        enforced: machinery.enforced,
        notEnforced,
      }),
      profiles: profileRoutes(profileService({ ledger, refuseInUse })),
      chains: chainRoutes(chainService({ ledger, refuseInUse })),
      ...hops,
      ...names.handlers,
      ...privacy.handlers,
      exceptions: exceptionRoutes({ service: exceptions, enforced: dataplane.settled }),
      firstEnforcement: enforcementHandlers({ ...machinery, ledger, settled: dataplane.settled }),
      ...viewHandlers({
        explain,
        ledger,
        dataplane,
        drift: () => [...dataplane.drift(), ...(carriers?.drift() ?? []), ...(resolving?.drift() ?? [])],
      }),
      references: referenceRoutes(references),
      snapshots: snapshotRoutes(history),
      changes: changeRoutes(history),
      audit: auditRoutes(ledger.records),
      settings: settingRoutes(settings),
      secrets: secretRoutes(secrets, vault),
      events: { stream: (_, { lastEventId, caller }) => live.listen(lastEventId, auth.listener(caller)) },
      documents: documentHandlers(api, version),
    },
  });

  ledger.watch(({ revision, cause, auditId, resourceId }) => {
    live.announce("audit.recorded", {
      id: auditId,
      action: cause.action,
      resource_type: cause.resourceType,
      resource_id: resourceId,
    });
    if (revision === undefined) return;
    live.announce("revision.published", { revision, cause: cause.action, actor: cause.actor });
    const pending = ledger.releases.pending();
    if (pending?.revision === revision) live.announce("change.pending", { revision, deadline: pending.deadline });
    dataplane.wake();
  });
  const deadline = watchDeadline({ ledger, now, revert: (reason) => history.revert(systemReverts, reason) });
  const expiry = watchExpiry({ ledger, service: exceptions, now });
  const house = keepHouse({
    ledger,
    auditEntriesKept: limits.audit_entries_kept,
    afterRetention: secrets.prune,
    onError: (err) => log.error({ err }, "housekeeping failed"),
  });
  await machinery.enforcement.recover();
  dataplane.wake();
  await dataplane.settled();
  const port = listening({ app, bootstrap, given, log });

  return {
    listen: port.open,
    setupCode: door.setupCode,
    close: async () => {
      live.announce("daemon.stopping", {});
      live.close();
      deadline.stop();
      expiry.stop();
      house.stop();
      await Promise.all([app.close(), port.close()]);
      await privacy.close();
      await machinery.close();
      names.close();
      ledger.close();
    },
  };
}

const systemReverts = { actor: "system", action: "revert_change", resourceType: "change" };

/** The ledger's refusals in the contract's words. */
function refuse(refusal: Refusal): Error {
  const words: Record<Refusal, [ProblemCode, string?]> = {
    "change-pending": ["change_pending"],
    "nothing-pending": ["not_found", "No change waits for confirmation"],
    "unknown-revision": ["not_found", "No snapshot has this id"],
  };
  const [code, message] = words[refusal];
  return new Problem(code, {}, message === undefined ? {} : { message });
}

const passphraseMode = 0o400;

const fallbackFile = (system: System, path: string) => ({
  read: () => {
    system.restrict(path, passphraseMode);
    return system.readText(path)?.replace(/\n$/, "");
  },
  write: (text: string) => system.writeAtomically(path, `${text}\n`, passphraseMode),
  remove: () => system.remove(path),
});
