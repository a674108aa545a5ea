import { join } from "node:path";
import type { Announce } from "@portcullis/contract/events";
import type { Bootstrap } from "../../config/keys.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openTextStore } from "../../ledger/text-store.ts";
import { fallbacks } from "../../planes/links/failover-events.ts";
import type { Planes } from "../../planes/planes.ts";
import { type AlertStore, alertsService, type Working } from "../../subsystems/alerts/alerts.service.ts";
import type { StoredAlert } from "../../subsystems/alerts/alerts.machine.ts";
import { alertsRoutes } from "../../subsystems/alerts/alerts.routes.ts";
import { channelsComponent } from "../../subsystems/alerts/channels.component.ts";
import { channelRoutes } from "../../subsystems/alerts/channels.routes.ts";
import type { Channels } from "../../subsystems/alerts/channels.service.ts";
import type { StoredDelivery } from "../../subsystems/alerts/delivery.machine.ts";
import { deliveryService } from "../../subsystems/alerts/delivery.ts";
import type { StoredNote } from "../../subsystems/alerts/delivery-notes.ts";
import { fixedChannels } from "../../subsystems/alerts/fixed-channels.ts";
import type { Vault } from "../../subsystems/secrets/vault.ts";
import { databaseFiles } from "../../system/database-files.ts";
import { opened } from "../module.ts";
import { alertOperations } from "./alert-operations.ts";
import { openSenders } from "./alert-senders.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly planes: Pick<Planes, "dataplane" | "linkStatus">;
  /** Whether a resource is sufficient, and a certificate valid. */
  readonly isWorking: Required<Pick<Working, "resource" | "certificate">>;
  readonly alertChannels: Channels;
  readonly vault: Vault;
  readonly onCertificate: Parameters<typeof openSenders>[0]["onCertificate"];
  readonly nodeId: string;
  readonly announce: Announce;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

const roundMs = 10_000;
const intact: ReadonlySet<string> = new Set(["up", "degraded"]);

/** Alerts that the events of the gateway raise, and their delivery. */
export function openAlerts(needs: Needs) {
  const { bootstrap, ledger, planes, isWorking, alertChannels: channels, vault, onCertificate } = needs;
  const { nodeId, announce, now, warn } = needs;
  const path = join(bootstrap.paths.state, "alerts.db");
  const file = openTextStore({ path, contents: "The alerts", warn, setAside: databaseFiles(path).setAside });
  // One file, so that an alert and the messages about it are written in one transaction.
  const stored = file.load().map((text) => JSON.parse(text) as StoredAlert | StoredDelivery | StoredNote);
  const store: AlertStore = {
    load: () => stored.filter((it) => "rule" in it),
    write: (changed, removed, along = []) =>
      file.write([...changed.map((it) => ({ key: it.id, text: JSON.stringify(it) })), ...along], removed),
  };
  const nowMs = () => now().getTime();
  const { send, pushKey } = openSenders({ ledger, vault, alertChannels: channels, onCertificate, now, warn });
  const delivery = deliveryService({
    ledger,
    channels,
    store: {
      load: () => ({
        deliveries: stored.filter((it) => "delivery" in it),
        notes: stored.filter((it) => "note" in it),
      }),
      write: file.write,
    },
    send,
    announce,
    nodeId,
    nowMs,
  });
  const fixed = fixedChannels(channels);
  /** Until something was compiled, their state is not known. */
  const links: Working = {
    policy: (id) => {
      const compiled = planes.dataplane.latest();
      return !!compiled && fallbacks(undefined, compiled.decisions.ranked).every(({ policyId }) => policyId !== id);
    },
    tunnel: (id) => {
      const compiled = planes.dataplane.latest();
      const tunnel = compiled?.intent.tunnels.find((it) => it.id === id);
      return !!compiled && (!tunnel?.enabled || intact.has(planes.linkStatus.tunnel(id).status));
    },
  };
  const service = alertsService({
    ledger,
    store,
    announce,
    messagesAbout: delivery.messagesAbout,
    nowMs,
    isWorking: { ...isWorking, ...(bootstrap.dataplane.enabled && links) },
  });
  const rounds = setInterval(service.round, roundMs);
  rounds.unref();
  return opened({
    operations: alertOperations(channels, service.rules),
    handlers: {
      alerts: alertsRoutes(service),
      webPush: { key: async (_, { cause }) => ({ public_key: await pushKey.open(cause) }) },
      ...channelRoutes({ ledger, channels, fixed, delivery, send, nodeId, nowMs }),
    },
    components: [channelsComponent({ channels, delivery, nowMs })],
    onEvent: service.onEvent as Announce,
    isOpen: service.isOpen,
    states: service.states,
    close: async () => {
      clearInterval(rounds);
      await delivery.close();
      file.close();
    },
  });
}
