import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Announce } from "@portcullis/contract/events";
import { because, type Reason } from "@portcullis/contract/reason";
import type { AnomalyKind } from "@portcullis/contract/subsystems/anomalies";
import type { Device } from "@portcullis/contract/subsystems/devices";
import type { Resources } from "../../compiler/input/read-document.ts";
import { memoize } from "../../compiler/memoize.ts";
import type { Bootstrap } from "../../config/keys.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openTextStore } from "../../ledger/text-store.ts";
import { anomalyPlane, queriesOf } from "../../planes/anomalies/anomalies.plane.ts";
import { countryLists } from "../../planes/anomalies/country-lists.ts";
import { profileBytes } from "../../planes/anomalies/profile.ts";
import { anomalyStore } from "../../planes/anomalies/stored.ts";
import type { ReceiveLogged } from "../../planes/dns/query-log.ts";
import { levelIn } from "../../planes/traffic/attribution.ts";
import { anomaliesService } from "../../subsystems/anomalies/anomalies.service.ts";
import { anomalySettings } from "../../subsystems/anomalies/anomaly-settings.ts";
import { databaseFiles } from "../../system/database-files.ts";
import type { System } from "../../system/system.ts";
import type { Operations } from "../../subsystems/configuration/operations.ts";
import { opened } from "../module.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly system: System;
  readonly dns: {
    readonly onLogged: (receive: ReceiveLogged) => void;
    readonly deviceOf: (address: string) => { readonly id: string } | undefined;
  };
  /** null: traffic is measured. */
  readonly whyNoTraffic: () => Reason | null;
  readonly announce: Announce;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

const roundMs = 60_000;

/** Deviations of devices from their baselines. */
export function openAnomalies({ bootstrap, ledger, system, dns, whyNoTraffic, announce, now, warn }: Needs) {
  const path = join(bootstrap.paths.state, "anomalies.db");
  const file = openTextStore({ path, contents: "The anomalies", warn, setAside: databaseFiles(path).setAside });
  const settings = anomalySettings({ ledger });
  const nowMs = () => now().getTime();
  const levels = memoize((revision: number) => levelIn(ledger.releases.document(revision) as unknown as Resources));
  const levelOf = (device: string) => levels(ledger.revision())(device);
  const deviceOf = (id: string) => ledger.staged<Device>("device").get(id);
  const countries = countryLists(system, nextTurn, warn);
  const plane = anomalyPlane({
    store: anomalyStore(file),
    settings: settings.get,
    levelOf,
    nameOf: (id) => deviceOf(id)?.name ?? "",
    countries: countries.current,
    announce,
  });
  const refresh = () => void (settings.get().enabled && countries.load());
  plane.applyLevels();
  refresh();
  ledger.watch(({ revision }) => void (revision !== undefined && nextTurn().then(plane.applyLevels).then(refresh)));

  dns.onLogged((answers) => plane.onQueries(queriesOf(answers, dns.deviceOf), nowMs()));
  const rounds = setInterval(() => {
    plane.round(nowMs());
    refresh();
  }, roundMs);
  rounds.unref();

  const whyNoQueries = (): Reason | null => {
    if (!bootstrap.dataplane.enabled) return because("dataplane_off");
    return bootstrap.dns.enabled ? null : because("dns_disabled");
  };
  const whyUnavailable = (kind: AnomalyKind): Reason | null => {
    if (kind === "dns_tunnelling" || kind === "query_rate") return whyNoQueries();
    const why = whyNoTraffic();
    return why === null && kind === "new_country" && !countries.current() ? because("countries_not_installed") : why;
  };
  const service = anomaliesService({
    source: plane,
    settings: settings.get,
    deviceOf,
    levelOf,
    whyUnavailable,
    bytesPerDevice: profileBytes,
  });
  return opened({
    operations: { anomaly_detection: { put: settings.put } } satisfies Operations,
    handlers: {
      anomalies: {
        list: service.list,
        stats: () => service.stats(),
        settings: () => settings.get(),
        updateSettings: ({ body }, { cause }) => settings.put(cause, body),
      },
    },
    onFlows: plane.onFlows,
    kinds: service.kinds,
    close: () => {
      clearInterval(rounds);
      plane.close();
    },
  });
}
