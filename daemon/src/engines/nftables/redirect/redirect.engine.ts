import type { System } from "../../../system/system.ts";
import type { Engine } from "../../engine.ts";
import type { Commits } from "../commits.ts";
import { countersIn, type Traffic } from "../steering/counters.parse.ts";
import { listenerCounters, type Proxies, redirectorCounters } from "./redirect.model.ts";
import { proxiesTable, renderProxies } from "./redirect.render.ts";
import { type TableLoad, type TableSeen, tableEngine } from "../table.engine.ts";

interface ProxiesEngine extends Engine<Proxies, TableSeen, TableLoad> {
  /** What went to and fro between devices and each proxy since its counters were made. */
  readonly traffic: (wanted: Proxies) => Promise<readonly ProxyTraffic[]>;
}

export interface ProxyTraffic {
  readonly kind: "redirector" | "listener";
  readonly name: string;
  /** From devices. */
  readonly received: Traffic;
  /** To devices. */
  readonly sent: Traffic;
}

/** What the kernel does for proxies. */
export function proxiesEngine(needs: { readonly system: System; readonly commits: Commits }): ProxiesEngine {
  return {
    ...tableEngine("proxies", proxiesTable, renderProxies, needs),
    traffic: async ({ redirectors, listeners }) => {
      // Before the first load there is no table, and nothing was counted.
      const list = ["-j", "list", "counters", "table", ...proxiesTable.split(" ")];
      const counted = countersIn(await needs.system.run("nft", list).catch(() => "{}"), proxiesTable);
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
