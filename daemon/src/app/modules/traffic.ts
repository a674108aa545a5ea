import { setImmediate as nextTurn } from "node:timers/promises";
import { join } from "node:path";
import type { Reason } from "@portcullis/contract/reason";
import type { WanUplinks } from "@portcullis/contract/subsystems/uplinks";
import type { Bootstrap } from "../../config/keys.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openTrafficStore } from "../../ledger/traffic-store.ts";
import type { Planes } from "../../planes/planes.ts";
import { openTrafficPlane, type TrafficPlane } from "../../planes/traffic/traffic.plane.ts";
import { trafficService } from "../../subsystems/traffic/traffic.service.ts";
import { databaseFiles } from "../../system/database-files.ts";
import type { System } from "../../system/system.ts";
import { opened } from "../module.ts";

type TrafficObserver = Parameters<typeof openTrafficPlane>[0]["onFlows"];

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly system: System;
  readonly planes: Planes;
  /** Passes the answers of the gateway's resolver on. */
  readonly onAnswers: (receive: TrafficPlane["learn"]) => void;
  /** Receives what connections of devices transfer. */
  readonly onFlows: TrafficObserver;
  readonly notEnforced: () => Reason | null;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

/** Traffic of devices, policies, tunnels and uplinks, with its history. */
export function openTraffic({ bootstrap, ledger, system, planes, onAnswers, onFlows, notEnforced, now, warn }: Needs) {
  const path = join(bootstrap.paths.state, "traffic.db");
  const nowMs = () => now().getTime();
  const store = openTrafficStore({ path, warn, ...databaseFiles(path) });
  const { dataplane } = planes;
  const plane = bootstrap.dataplane.enabled
    ? openTrafficPlane({
        system,
        ledger,
        store,
        runFolder: bootstrap.paths.run,
        compiled: dataplane.latest,
        neighbours: dataplane.neighbours,
        decided: dataplane.decided,
        onFlows,
        nowMs,
        warn,
      })
    : undefined;
  if (plane) {
    onAnswers(plane.learn);
    plane.applyLevels();
    ledger.watch(({ revision }) => void (revision !== undefined && nextTurn().then(plane.applyLevels)));
  }
  const uplinks = () => {
    const settings = ledger.staged<WanUplinks & { readonly id: string }>("uplinks").all()[0];
    const wan = bootstrap.network.wan_iface;
    return settings?.uplinks ?? [{ name: wan, interface: wan }];
  };
  const service = trafficService({ ledger, store, readings: plane, notEnforced, uplinks, nowMs });
  return opened({
    handlers: {
      traffic: {
        summary: () => service.summary(),
        history: (input) => service.history(input),
        destinations: (input) => service.destinations(input),
      },
    },
    /** Since the daemon started; undefined while the dataplane is off. */
    sinceStart: () => plane?.sinceStart(),
    /** null: traffic is measured. */
    whyNotMeasured: service.whyNotMeasured,
    service,
    close: async () => {
      await plane?.close();
      store.close();
    },
  });
}
