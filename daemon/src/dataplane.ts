import { compile, type Desired } from "./compiler/compile.ts";
import { decide } from "./compiler/decide.ts";
import { factsFor } from "./compiler/facts.ts";
import type { Network } from "./compiler/intent.ts";
import { numbered, wanted } from "./compiler/numbers.ts";
import { type ActiveException, intentOf, type Resources } from "./compiler/read.ts";
import { iproute } from "./engines/iproute/iproute.engine.ts";
import { guardEngine, steeringEngine } from "./engines/nftables/nftables.engine.ts";
import { sysctl } from "./engines/sysctl/sysctl.engine.ts";
import { allocate } from "./ledger/allocations.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { EngineSet } from "./reconciler/reconciler.ts";
import type { System } from "./system/system.ts";
import { readSurroundings } from "./watch/surroundings.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly system: System;
  readonly network: Network;
  readonly exceptions: () => readonly ActiveException[];
}

/** From what is published to what the engines should be. */
export function desiredState({ ledger, system, network, exceptions }: Needs) {
  return async (): Promise<{ revision: number; desired: Desired }> => {
    const revision = ledger.revision();
    const intent = intentOf(ledger.releases.document(revision) as unknown as Resources, network, exceptions());
    const facts = factsFor(intent, await readSurroundings(system));
    const decisions = decide(intent, facts);
    const numbers = numbered(wanted(decisions), (pool, names) => allocate(ledger.database, pool, names));
    return { revision, desired: compile(decisions, intent, facts, numbers) };
  };
}

/** In the order they change: the gate first, forwarding last. */
export const linuxEngines = (system: System, nowMs: () => number): EngineSet => ({
  guard: guardEngine(system, nowMs),
  iproute: iproute(system),
  steering: steeringEngine(system, nowMs),
  sysctl: sysctl(system),
});
