import { join } from "node:path";
import type { Announce } from "@portcullis/contract/events";
import type { Bootstrap } from "../../config/keys.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openTextStore } from "../../ledger/text-store.ts";
import { fallbacks } from "../../planes/links/failover-events.ts";
import type { Planes } from "../../planes/planes.ts";
import { type AlertStore, alertsService } from "../../subsystems/alerts/alerts.service.ts";
import type { StoredAlert } from "../../subsystems/alerts/alerts.machine.ts";
import { alertsRoutes } from "../../subsystems/alerts/alerts.routes.ts";
import { databaseFiles } from "../../system/database-files.ts";
import { opened } from "../module.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly planes: Pick<Planes, "dataplane" | "linkStatus">;
  readonly announce: Announce;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

const roundMs = 10_000;
const intact: ReadonlySet<string> = new Set(["up", "degraded"]);

/** Alerts that the events of the gateway raise. */
export function openAlerts({ bootstrap, ledger, planes, announce, now, warn }: Needs) {
  const path = join(bootstrap.paths.state, "alerts.db");
  const file = openTextStore({ path, contents: "The alerts", warn, setAside: databaseFiles(path).setAside });
  const store: AlertStore = {
    load: () => file.load().map((text) => JSON.parse(text) as StoredAlert),
    write: (changed, removed) =>
      file.write(
        changed.map((it) => ({ key: it.id, text: JSON.stringify(it) })),
        removed,
      ),
  };
  const isWorking = (kind: "tunnel" | "policy", id: string): boolean => {
    const compiled = planes.dataplane.latest();
    if (!compiled) return false; // Its state is not known yet.
    if (kind === "policy")
      return fallbacks(undefined, compiled.decisions.ranked).every(({ policyId }) => policyId !== id);
    const tunnel = compiled.intent.tunnels.find((it) => it.id === id);
    return !tunnel?.enabled || intact.has(planes.linkStatus.tunnel(id).status);
  };
  const service = alertsService({
    ledger,
    store,
    announce,
    nowMs: () => now().getTime(),
    isWorking: bootstrap.dataplane.enabled ? isWorking : undefined,
  });
  const rounds = setInterval(service.round, roundMs);
  rounds.unref();
  return opened({
    handlers: { alerts: alertsRoutes(service) },
    onEvent: service.onEvent as Announce,
    close: () => {
      clearInterval(rounds);
      file.close();
    },
  });
}
