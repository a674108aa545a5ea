import { setImmediate as nextTurn } from "node:timers/promises";
import type { Policy } from "@portcullis/contract/subsystems/routing";
import type { Temporary } from "../../compiler/input/read-document.ts";
import { explainer } from "../../explain/explainer.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { shownDrift, summarize } from "../../planes/forwarding/drift-summary.ts";
import { egressComponent } from "../../planes/forwarding/egress.status.ts";
import { policyHits } from "../../planes/forwarding/hits.status.ts";
import type { Planes } from "../../planes/planes.ts";
import { sinceBootMs } from "../../system/clock.ts";
import { opened } from "../module.ts";

interface Needs {
  readonly ledger: Ledger;
  /** Active exceptions and pauses. */
  readonly exceptions: () => readonly Temporary[];
  readonly planes: Planes;
  readonly now: () => Date;
}

/** Views of the compiler: the egress of packets with the reason, and the state of the kernel. */
export function openViews({ ledger, exceptions, planes, now }: Needs) {
  const { dataplane, links, dns, linkStatus } = planes;
  const explain = explainer({
    ledger,
    exceptions,
    network: dataplane.network,
    linkStates: dataplane.linkStates,
    observedState: dataplane.observedState,
    condition: linkStatus.tunnel,
    hits: policyHits({ hits: dataplane.hits, monotonicMs: () => performance.now() }),
    now,
    sinceBootMs,
    pause: () => nextTurn(),
  });
  /** Until something is compiled, a publication changes them, and a schedule does at full minutes. */
  const unenforced = () => `${ledger.revision()} ${Math.floor(now().getTime() / 60_000)}`;
  const postureCounts = perVersion(() => dataplane.latest() ?? unenforced(), explain.explainedPostures);
  const drift = () => [...dataplane.drift(), ...(links?.drift() ?? []), ...(dns?.drift() ?? [])];
  return opened({
    explain,
    postureCounts,
    components: links ? [egressComponent({ counts: postureCounts, version: dataplane.latest })] : [],
    handlers: {
      policyViews: {
        evaluate: ({ body }) => explain.evaluate(body),
        conflicts: () => explain.findings(ledger.staged<Policy>("routing_policy").all()),
        failMatrix: () => explain.failMatrix(),
        hits: () => explain.hits(),
        leakMatrix: ({ query }) => explain.leakMatrix(query),
        postures: () => explain.postures(),
      },
      enforcement: {
        render: () => explain.render(),
        rules: ({ query }) => explain.rules(query),
        drift: ({ query }) => summarize(drift()).slice(0, query.limit),
        driftDetails: () => drift().map(shownDrift),
        reconciler: dataplane.report,
        reconcile: async (_, { cause }) => {
          ledger.change(cause, (draft) => draft.about("dataplane"));
          await dataplane.lookAgain(); // The request is for a comparison with the kernel, not for the cached result.
          return dataplane.report();
        },
      },
    },
  });
}

/** Reads again only after a change. A failed read is not kept. */
function perVersion<T>(version: () => unknown, read: () => Promise<T>): () => Promise<T> {
  let last: { readonly version: unknown; readonly reading: Promise<T> } | undefined;
  return () => {
    const now = version();
    if (last?.version === now && last) return last.reading;
    const made = { version: now, reading: read() };
    last = made;
    made.reading.catch(() => last === made && (last = undefined));
    return made.reading;
  };
}
