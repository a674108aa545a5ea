import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { because } from "@portcullis/contract/reason";
import { readRecord, writeRecord } from "./enforcement-record.ts";
import { isOpenElsewhere } from "../../ledger/database.ts";
import type { System } from "../../system/system.ts";
import { tearDown } from "./tear-down.ts";

/** The argument of a watchdog. */
export interface Watch {
  readonly state: string;
  readonly run: string;
  /** Identifies the record: the watchdog ignores any other. */
  readonly since: string;
  readonly afterMs: number;
}

/**
 * Starts a process that outlives the daemon and reverts a first enforcement at its deadline if the daemon cannot. Nothing
 * but an unconfirmed record of this very enforcement makes it act, so that a confirmed guard is never touched.
 */
export function startWatchdog(system: System, watch: Watch): void {
  const here = import.meta.filename;
  const program = here.endsWith(".ts") ? join(dirname(here), "../../main.ts") : here;
  const output = join(watch.run, "watchdog.output");
  const args = [program, "--revert-unconfirmed", JSON.stringify(watch)];
  system.launch(process.execPath, args, { stdin: "", output, onExit: () => {} });
}

/** A running daemon reverts by itself, which takes a moment; one that hangs gets no more time than this. */
const graceMs = { dead: 1000, alive: 20_000 };
const lookMs = 500;

/** The watchdog process. It ends as soon as the record is confirmed or replaced. */
export async function keepWatch(system: System, { state, run, since, afterMs }: Watch): Promise<void> {
  const isOurs = () => {
    const record = readRecord(system, state);
    return record.state === "provisional" && record.since === since;
  };
  const begun = performance.now();
  const isDue = () => {
    const late = performance.now() - begun - afterMs;
    return late >= graceMs.alive || (late >= graceMs.dead && !isOpenElsewhere(join(state, "portcullis.db")));
  };
  while (isOurs() && !isDue()) await wait(lookMs);
  if (!isOurs()) return;
  await tearDown(system, run);
  if (isOurs())
    writeRecord(system, state, {
      state: "reverted",
      at: new Date().toISOString(),
      reason: because("revert_unconfirmed_without_daemon"),
    });
}
