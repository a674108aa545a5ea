import type { System } from "../../../system/system.ts";
import type { Engine } from "../../engine.ts";
import type { Commits } from "../commits.ts";
import { countersIn, type Traffic } from "../steering/counters.parse.ts";
import { listenerCounters, type Redirect, redirectorCounters } from "./redirect.model.ts";
import { redirectTable, renderRedirect } from "./redirect.render.ts";
import { type TableLoad, type ObservedTable, tableEngine } from "../table.engine.ts";

interface RedirectEngine extends Engine<Redirect, ObservedTable, TableLoad> {
  /** Traffic between devices and each proxy since its counters were created. */
  readonly traffic: (wanted: Redirect) => Promise<readonly ProxyTraffic[]>;
}

export interface ProxyTraffic {
  readonly kind: "redirector" | "listener";
  readonly name: string;
  /** From devices. */
  readonly received: Traffic;
  /** To devices. */
  readonly sent: Traffic;
}

/** The redirect table, and the traffic counters of the proxies. */
export function redirectEngine(needs: { readonly system: System; readonly commits: Commits }): RedirectEngine {
  return {
    ...tableEngine("redirect", redirectTable, renderRedirect, needs),
    traffic: async ({ redirectors, listeners }) => {
      // Before the first load there is no table and no count.
      const list = ["-j", "list", "counters", "table", ...redirectTable.split(" ")];
      const counted = countersIn(await needs.system.run("nft", list).catch(() => "{}"), redirectTable);
      const of = ({ received, sent }: ReturnType<typeof redirectorCounters>) => ({
        received: counted.get(received) ?? nothing,
        sent: counted.get(sent) ?? nothing,
      });
      return [
        ...redirectors.map((it) => ({ kind: "redirector" as const, name: it.name, ...of(redirectorCounters(it)) })),
        ...listeners.map((it) => ({ kind: "listener" as const, name: it.name, ...of(listenerCounters(it)) })),
      ];
    },
  };
}

const nothing: Traffic = { packets: 0, bytes: 0 };
