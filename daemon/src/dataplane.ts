import { compiler, type Desired } from "./compiler/compile.ts";
import { type Decisions, decider } from "./compiler/decide.ts";
import { factsFor, type Link } from "./compiler/facts.ts";
import type { Intent, Network } from "./compiler/intent.ts";
import { numbered, wanted } from "./compiler/numbers.ts";
import { type ActiveException, intentReader, type Resources } from "./compiler/read.ts";
import { remember, settled } from "./compiler/remember.ts";
import { iproute } from "./engines/iproute/iproute.engine.ts";
import type { Commits } from "./engines/nftables/commits.ts";
import { guardEngine, steeringEngine } from "./engines/nftables/nftables.engine.ts";
import type { Reading } from "./engines/trust.ts";
import { sysctl } from "./engines/sysctl/sysctl.engine.ts";
import { allocate } from "./ledger/allocations.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { EngineSet } from "./reconciler/reconciler.ts";
import type { IpListing } from "./system/iplisting.ts";
import type { System } from "./system/system.ts";
import { surroundingsIn } from "./watch/surroundings.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly network: Network;
  readonly exceptions: () => readonly ActiveException[];
  readonly listing: Reading<IpListing>;
}

/** From what is published to what the engines should be. As long as nothing changes, the answer is the same object. */
export function desiredState({ ledger, network, exceptions, listing }: Needs) {
  const intentOf = intentReader(network);
  const settledLinks = settled<readonly Link[]>();
  const settledExceptions = settled<readonly ActiveException[]>();
  const factsOf = remember((policies: Intent["policies"], links: readonly Link[]) => factsFor({ policies }, links));
  const decide = decider();
  const numbersFor = remember((ranked: Decisions["ranked"]) =>
    numbered(wanted({ ranked }), (pool, names) => allocate(ledger.database, pool, names)),
  );
  const compile = compiler();
  const desired = remember((revision: number, links: readonly Link[], active: readonly ActiveException[]): Desired => {
    const intent = intentOf(ledger.releases.document(revision) as unknown as Resources, active);
    const facts = factsOf(intent.policies, links);
    const decisions = decide(intent, facts);
    return compile(decisions, intent, facts, numbersFor(decisions.ranked));
  });
  return async (): Promise<{ revision: number; desired: Desired }> => {
    const links = settledLinks(surroundingsIn(await listing.read()));
    const revision = ledger.revision();
    return { revision, desired: desired(revision, links, settledExceptions(exceptions())) };
  };
}

interface Ground {
  readonly system: System;
  readonly commits: Commits;
  readonly listing: Reading<IpListing>;
  readonly nowMs: () => number;
}

/** In the order they change: the gate first, forwarding last. */
export const linuxEngines = (ground: Ground): EngineSet => ({
  guard: guardEngine(ground),
  iproute: iproute(ground),
  steering: steeringEngine(ground),
  sysctl: sysctl(ground.system),
});
