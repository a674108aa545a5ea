import { setImmediate as nextTurn } from "node:timers/promises";
import type { Announce } from "@portcullis/contract/events";
import type { Reason } from "@portcullis/contract/reason";
import type { Bootstrap } from "../../config/keys.ts";
import type { ApiCertificate } from "../../host/api-certificate.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Planes } from "../../planes/planes.ts";
import type { Channels } from "../../subsystems/alerts/channels.service.ts";
import type { Exceptions } from "../../subsystems/exceptions/exceptions.service.ts";
import type { Vault } from "../../subsystems/secrets/vault.ts";
import type { System } from "../../system/system.ts";
import { type Module, opened } from "../module.ts";
import { openAlerts } from "./alerts.ts";
import { openAnomalies } from "./anomalies.ts";
import { openDiscovery } from "./discovery.ts";
import type { openDns } from "./dns.ts";
import type { openInventory } from "./inventory.ts";
import { openPrivacy } from "./privacy.ts";
import { openScans } from "./scans.ts";
import { openTraffic } from "./traffic.ts";
import { openUpkeep } from "./upkeep.ts";
import type { openViews } from "./views.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly system: System;
  readonly planes: Planes;
  /** undefined: the API has no TLS. */
  readonly tls: ApiCertificate | undefined;
  readonly exceptions: Exceptions;
  readonly dns: Pick<ReturnType<typeof openDns>, "onAnswers" | "onLogged" | "deviceOf">;
  readonly inventory: ReturnType<typeof openInventory>;
  readonly explain: ReturnType<typeof openViews>["explain"];
  /** Why nothing is enforced on this machine; null: it is. */
  readonly notEnforced: () => Reason | null;
  readonly alertChannels: Channels;
  readonly vault: Vault;
  readonly nodeId: string;
  readonly announce: Announce;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

/** A module that observes the gateway. It may receive its events. */
interface Watcher extends Module {
  readonly onEvent?: Announce;
}

/** Modules that observe the network and the gateway: the leak monitor with the privacy controls, the traffic, the discovery of devices, port scans, resources and certificates. */
export function openWatching(needs: Needs) {
  const { planes, inventory, explain } = needs;
  /** What watchers announce may raise an alert, too. */
  const announce: Announce = (name, payload) => {
    needs.announce(name, payload);
    alerts.onEvent(name, payload);
  };
  const upkeep = openUpkeep({ ...needs, announce, isOpen: (rule, key) => alerts.isOpen(rule, key) });
  const alerts = openAlerts({ ...needs, isWorking: upkeep.isWorking, onCertificate: upkeep.onCertificate });
  upkeep.start();
  const privacy = openPrivacy({
    ...needs,
    announce,
    dataplane: planes.dataplane,
    enforced: planes.enforced,
    isForwarding: planes.enforcement.isForwarding,
    devices: inventory.devices,
    classes: inventory.classes,
    postures: explain.explainedPostures,
    named: async () => planes.dns?.written(),
    pause: () => nextTurn(),
  });
  const traffic = openTraffic({
    ...needs,
    onAnswers: needs.dns.onAnswers,
    onFlows: (flows, atMs) => anomalies.onFlows(flows, atMs),
  });
  const anomalies = openAnomalies({ ...needs, announce, whyNoTraffic: traffic.whyNotMeasured });
  const discovery = openDiscovery({ ...needs, announce });
  const scans = openScans({ ...needs, announce });
  const watchers: readonly Watcher[] = [alerts, privacy, anomalies, traffic, discovery, scans, upkeep];
  const onEvent: Announce = (name, payload) => {
    for (const it of watchers) it.onEvent?.(name, payload);
  };
  return opened({
    operations: { ...alerts.operations, ...privacy.operations, ...anomalies.operations },
    handlers: {
      ...privacy.handlers,
      ...traffic.handlers,
      ...anomalies.handlers,
      ...discovery.handlers,
      ...alerts.handlers,
    },
    components: watchers.flatMap((it) => it.components ?? []),
    alertStates: alerts.states,
    anomalyKinds: anomalies.kinds,
    lastLeakCheck: privacy.lastCheck,
    trafficSinceStart: traffic.sinceStart,
    observedDevices: discovery.states,
    /** Receives the events of the planes. */
    onEvent,
    close: async () => {
      for (const it of watchers.toReversed()) await it.close?.();
    },
  });
}
