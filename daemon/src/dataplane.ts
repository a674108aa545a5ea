import { compiler, type Desired } from "./compiler/compile.ts";
import { type Decisions, decider } from "./compiler/decide.ts";
import { factsFor, type Link } from "./compiler/facts.ts";
import type { Intent, Network } from "./compiler/intent.ts";
import { type Numbers, wanted } from "./compiler/numbers.ts";
import { intentReader, type Resources } from "./compiler/read.ts";
import { remember, settled } from "./compiler/remember.ts";
import { iproute } from "./engines/iproute/iproute.engine.ts";
import type { Commits } from "./engines/nftables/commits.ts";
import { guardEngine, steeringEngine } from "./engines/nftables/nftables.engine.ts";
import { sysctl } from "./engines/sysctl/sysctl.engine.ts";
import { allocate } from "./ledger/allocations.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { EngineSet } from "./reconciler/reconciler.ts";
import type { System } from "./system/system.ts";
import { readSurroundings } from "./watch/surroundings.ts";

const pools = {
  plans: { kind: "plan", first: 1, last: 0xffff },
  egresses: { kind: "egress", first: 0x02, last: 0xef },
  domains: { kind: "domain", first: 1, last: 0xffff },
} as const;

interface Needs {
  readonly ledger: Ledger;
  readonly system: System;
  readonly network: Network;
}

/** From what is published to what the engines should be. As long as nothing changes, the answer is the same object. */
export function desiredState({ ledger, system, network }: Needs) {
  const intentOf = intentReader(network);
  const settledLinks = settled<readonly Link[]>();
  const factsOf = remember((policies: Intent["policies"], links: readonly Link[]) => factsFor({ policies }, links));
  const decide = decider();
  const numbersFor = remember((ranked: Decisions["ranked"]): Numbers => {
    const names = wanted({ ranked });
    return {
      plans: allocate(ledger.database, pools.plans, names.plans),
      egresses: allocate(ledger.database, pools.egresses, names.egresses),
      domains: allocate(ledger.database, pools.domains, names.domains),
    };
  });
  const compile = compiler();
  const desired = remember((revision: number, links: readonly Link[]): Desired => {
    const intent = intentOf(ledger.releases.document(revision) as unknown as Resources);
    const facts = factsOf(intent.policies, links);
    const decisions = decide(intent, facts);
    return compile(decisions, intent, facts, numbersFor(decisions.ranked));
  });
  return async (): Promise<{ revision: number; desired: Desired }> => {
    const links = settledLinks(await readSurroundings(system));
    const revision = ledger.revision();
    return { revision, desired: desired(revision, links) };
  };
}

/** In the order they change: the gate first, forwarding last. */
export const linuxEngines = (system: System, commits: Commits): EngineSet => ({
  guard: guardEngine({ system, commits }),
  iproute: iproute(system),
  steering: steeringEngine({ system, commits }),
  sysctl: sysctl(system),
});
