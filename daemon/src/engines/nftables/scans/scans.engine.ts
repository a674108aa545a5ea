import type { System } from "../../../system/system.ts";
import type { Engine } from "../../engine.ts";
import type { Commits } from "../commits.ts";
import { type ObservedTable, tableEngine, type TableLoad } from "../table.engine.ts";
import { type CountedSender, packetsIn, sendersIn, type Target, targetsIn } from "./scans.parse.ts";
import type { Scans } from "./scans.model.ts";
import { renderScans, scansTable, sendersSet, targetSets, unrecordedCounter } from "./scans.render.ts";

export interface CountedTargets {
  readonly senders: readonly CountedSender[];
  /** Packets to new targets that were not recorded, since the table exists. */
  readonly unrecorded: number;
}

export interface ScansEngine extends Engine<Scans, ObservedTable, TableLoad> {
  /** Cheap: without the targets. undefined: the table was not loaded yet. */
  readonly counted: () => Promise<CountedTargets | undefined>;
  /** Every recorded target: 45 ms of CPU for a thousand. */
  readonly targets: () => Promise<readonly Target[]>;
}

/**
 * The table that records new connections. It enforces nothing: that it cannot be loaded does not make a cycle fail, which
 * would report that the rules are not in force. Reading it fails then, which is reported.
 */
export function scansEngine(needs: { readonly system: System; readonly commits: Commits }): ScansEngine {
  const table = tableEngine("scans", scansTable, renderScans, needs, { sets: [], onNew: () => {}, isLarge: true });
  const words = scansTable.split(" ");
  const list = (...what: string[]) => needs.system.run("nft", ["-j", "list", ...what]);
  let isTried = false;
  let failure: Error | undefined;
  const read = async <T>(reading: Promise<T>): Promise<T> =>
    reading.catch((error: unknown) => {
      throw failure ?? error;
    });
  return {
    ...table,
    apply: async (changes) => {
      failure = undefined;
      await table.apply(changes).catch((error: Error) => (failure = error));
      isTried = true;
    },
    counted: async () => {
      if (!isTried) return undefined;
      const senders = sendersIn(await read(list("set", ...words, sendersSet)));
      return { senders, unrecorded: packetsIn(await read(list("counters", "table", ...words)), unrecordedCounter) };
    },
    targets: async () => {
      const all: Target[] = [];
      for (const name of targetSets) all.push(...targetsIn(await read(list("set", ...words, name))));
      return all;
    },
  };
}
