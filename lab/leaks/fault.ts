import { setTimeout as wait } from "node:timers/promises";
import { ownSec } from "../../testing/clock.ts";
import type { LeakTopology } from "./topology.ts";

/** A fault that has made protected devices leak somewhere, injected into the topology. */
export interface Fault {
  /** Its place in the list of faults; some have more than one form. */
  readonly number: number;
  readonly name: string;
  /** Lines of docs/traffic.md that say what may pass meanwhile. */
  readonly cites: readonly string[];
  /** Whether it needs a daemon that lives, be it to ask it or to kill it. */
  readonly needsDaemon?: true;
  /**
   * Does it, resolves once it is done, and answers what shows that it happened. It throws where that cannot be shown: a
   * fault that did not happen proves nothing. Where the gateway mends it within moments, it may do it several times.
   */
  readonly strike: (topology: LeakTopology, random: () => number) => Promise<string>;
  /** Undoes what the gateway cannot mend by itself. */
  readonly heal?: (topology: LeakTopology) => Promise<void>;
}

/** Something that a fault itself has seen outside, which no probe is. */
export class Leak extends Error {}

/**
 * Waits for the evidence of a fault. This is no deadline: in a sequence another fault may prevent it, and then it never
 * comes. So the time is long enough for a slow machine, and not longer.
 */
export async function shows(what: string, isSo: () => Promise<boolean>): Promise<string> {
  const end = ownSec() + 30;
  let is = await isSo();
  while (!is && ownSec() < end) {
    await wait(20);
    is = await isSo();
  }
  return holds(is, what);
}

/** What was expected to be so after a fault. */
export function holds(is: boolean, what: string): string {
  if (!is) throw new Error(`The fault did not happen: not so that ${what}`);
  return what;
}
