import { allocateAll, compiler, type Desired } from "../daemon/src/compiler/compile.ts";
import type { Facts } from "../daemon/src/compiler/input/facts.ts";
import type { Intent } from "../daemon/src/compiler/input/intent.ts";
import type { Take } from "../daemon/src/compiler/egress/kernel-ids.ts";
import { linuxEngines } from "../daemon/src/planes/forwarding/forwarding.plane.ts";
import type { Engine } from "../daemon/src/engines/engine.ts";
import { watchCommits } from "../daemon/src/engines/nftables/commits.ts";
import type { ObservedSteering } from "../daemon/src/engines/nftables/nftables.engine.ts";
import { differenceOf } from "../daemon/src/engines/nftables/steering/steering.diff.ts";
import { type Steering, steering } from "../daemon/src/engines/nftables/steering/steering.render.ts";
import { renderTransactions } from "../daemon/src/engines/nftables/steering/transaction.render.ts";
import { readIp } from "../daemon/src/system/iplisting.ts";
import type { Host } from "./namespaces.ts";
import { noDnsClients } from "../testing/compiled.ts";
import { systemOn } from "./system.ts";

interface Loader {
  /** Compiles and loads, as the daemon would. */
  readonly load: (intent: Intent, facts: Facts) => Promise<void>;
  /** The next transactions in order, for a caller that applies them by other means. The first is a load. */
  readonly transactions: (intent: Intent, facts: Facts) => string[];
}

/** After so many the first generation comes again; in the engine, after many more. */
export const generations = 250;

/** The compiler and the engines without a daemon; numbers once given are kept, as the ledger would. */
export function loader(gateway: Host): Loader {
  const system = systemOn(gateway);
  const engines = linuxEngines({
    system,
    commits: watchCommits(),
    listing: { read: () => readIp(system), invalidate: () => {} },
    nowMs: Date.now,
  });
  const known = new Map<string, Map<string, number>>();
  const take: Take = ({ kind, first }, names) => {
    const numbers = known.get(kind) ?? new Map<string, number>();
    known.set(kind, numbers);
    for (const name of names) if (!numbers.has(name)) numbers.set(name, first + numbers.size);
    return numbers;
  };
  const { needed, compile } = compiler();
  function compiled(intent: Intent, facts: Facts): Desired {
    const input = { intent, facts, resources: noDnsClients };
    return compile({ ...input, neighbours: [], allocations: allocateAll(needed(input), take) }).desired;
  }
  let last: Steering | undefined;
  let [first, generation] = [0, 0];
  return {
    load: async (intent, facts) => {
      const desired = compiled(intent, facts);
      await bring(engines.guard, desired.guard);
      await bring(engines.protection, desired.protection);
      await bring(engines.iproute, desired.iproute);
      await bring(engines.steering, desired.steering);
      await bring(engines.release, desired.release);
      await bring(engines.scans, desired.scans);
      const { loaded } = (await engines.steering.observe()) as ObservedSteering;
      last = loaded!.steering;
      [first, generation] = [last.generation, last.generation];
    },
    transactions: (intent, facts) => {
      if (!last) throw new Error("Something must be loaded before");
      generation = first + ((generation - first + 1) % generations);
      const next = steering(compiled(intent, facts).steering, generation, last);
      const names = { sets: last.sets.map(({ name }) => name), chains: last.chains.map(({ name }) => name) };
      const texts = renderTransactions(next, differenceOf(last, next), names, Date.now());
      last = next;
      return texts;
    },
  };
}

/** One engine, as the reconciler drives it. */
export async function bring<D>(engine: Engine<D>, desired: D): Promise<void> {
  const changes = engine.changes(desired, await engine.observe());
  if (changes.length > 0) await engine.apply(changes);
}
