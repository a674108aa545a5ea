import { setImmediate as nextTurn } from "node:timers/promises";
import type { Announce, EventPayload } from "@portcullis/contract/events";
import type { Call } from "@portcullis/contract/handler";
import { seriesLimits } from "@portcullis/contract/metric-catalogue";
import type { Reason } from "@portcullis/contract/reason";
import type { Device } from "@portcullis/contract/subsystems/devices";
import { ownProcess } from "../../host/process.ts";
import type { Live } from "../../http/live.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Planes } from "../../planes/planes.ts";
import { contentTypes, exposition, formatFor } from "../../subsystems/metrics/exposition.ts";
import { type Facts, readingsOf } from "../../subsystems/metrics/readings.ts";
import { unenforcedCounts } from "../../subsystems/privacy/status.ts";
import type { System } from "../../system/system.ts";
import { opened } from "../module.ts";
import type { openDns } from "./dns.ts";
import type { openHost } from "./host.ts";
import type { openLinks } from "./links.ts";
import type { openTemporary } from "./routing.ts";
import type { openViews } from "./views.ts";
import type { openWatching } from "./watching.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly system: System;
  readonly live: Pick<Live, "listeners" | "announced">;
  readonly planes: Pick<Planes, "enforcement">;
  readonly views: Pick<ReturnType<typeof openViews>, "postureCounts">;
  readonly links: Pick<ReturnType<typeof openLinks>, "handlers">;
  readonly dns: Pick<ReturnType<typeof openDns>, "status" | "counted">;
  readonly watching: Pick<
    ReturnType<typeof openWatching>,
    "alertStates" | "anomalyKinds" | "lastLeakCheck" | "observedDevices" | "trafficSinceStart"
  >;
  readonly temporary: { readonly pauses: Pick<ReturnType<typeof openTemporary>["pauses"], "activeTypes"> };
  readonly host: ReturnType<typeof openHost>;
  /** Why nothing is enforced on this machine; null: it is. */
  readonly notEnforced: () => Reason | null;
}

type Counts = Awaited<ReturnType<ReturnType<typeof openViews>["postureCounts"]>>;

/** Numbers for a monitoring program, from what the other modules report to the API. */
export function openMetrics(needs: Needs) {
  const { ledger, system, live, planes, views, links, dns, watching, temporary, host } = needs;
  const answered = new Map<string, number>();
  let driftRepairs = 0;

  async function read(call: Call): Promise<Facts> {
    const plain = { params: {}, query: {}, body: undefined };
    const [observer, counts, tunnels, resolvers] = await Promise.all([
      host.handlers.status.observer(plain, call),
      // Absent if the links of the machine cannot be read.
      views.postureCounts().catch(() => undefined),
      // One more than there are series, so that the answer reports that some are omitted.
      links.handlers.tunnels.list({ ...plain, query: { limit: seriesLimits.tunnels + 1 } }, call),
      dns.status(),
    ]);
    const check = watching.lastLeakCheck();
    const uplinks = await links.handlers.uplinks.decisions(plain, call);
    await nextTurn(); // Thousands of devices: other requests are answered in between.
    const observed = watching.observedDevices();
    await nextTurn();
    return {
      status: host.current(),
      components: observer.components,
      isChangePending: ledger.releases.pending() !== undefined,
      process: ownProcess(system),
      answered,
      eventStreams: live.listeners(),
      events: live.announced(),
      driftRepairs,
      alerts: watching.alertStates(),
      anomalies: watching.anomalyKinds(),
      pauses: temporary.pauses.activeTypes(),
      devices: ledger.staged<Device>("device").all(),
      observed,
      postures: counts && postures(counts),
      leaks: check && {
        checkedAt: check.finished_at,
        leaking: check.devices.filter(({ verdict }) => verdict === "leaking").length,
      },
      policies: counts?.policies,
      tunnels: tunnels.items,
      uplinks,
      traffic: watching.trafficSinceStart(),
      queries: dns.counted(),
      dns: resolvers,
    };
  }

  /** Without enforcement only the kernel's forwarding decides. */
  function postures(counts: Counts): Facts["postures"] {
    if (needs.notEnforced() === null) return counts;
    return unenforcedCounts(counts.devices.length, planes.enforcement.isForwarding() ? "exposed" : "blocked");
  }

  return opened({
    handlers: {
      metrics: {
        read: async (_, call) => {
          const format = formatFor(call.accept);
          call.setHeader("content-type", contentTypes[format]);
          call.setHeader("vary", "Accept");
          const readings = readingsOf(await read(call));
          await nextTurn();
          return exposition(readings, format);
        },
      },
    },
    onEvent: ((name, payload) => {
      if (name === "drift.detected") driftRepairs += (payload as EventPayload<"drift.detected">).items;
    }) satisfies Announce,
    onAnswer: (status: number) => {
      const statusClass = `${Math.floor(status / 100)}xx`;
      answered.set(statusClass, (answered.get(statusClass) ?? 0) + 1);
    },
  });
}
