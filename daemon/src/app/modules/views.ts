import type { GatewayApi } from "@portcullis/contract/api";
import type { HandlersOf } from "@portcullis/contract/handler";
import type { Policy } from "@portcullis/contract/subsystems/routing";
import type { Dataplane } from "../../planes/forwarding/forwarding.plane.ts";
import { summarize } from "../../planes/forwarding/drift-summary.ts";
import type { explainer } from "../../explain/explainer.ts";
import type { Ledger } from "../../ledger/ledger.ts";

interface Needs {
  readonly explain: ReturnType<typeof explainer>;
  readonly ledger: Ledger;
  readonly dataplane: Dataplane;
  /** What every engine found changed behind its back. */
  readonly drift: () => ReturnType<Dataplane["drift"]>;
}

/** What people may look at: where packets go and why, and whether the kernel is as it should be. */
export const viewHandlers = ({ explain, ledger, dataplane, drift }: Needs) => ({
  policyViews: {
    evaluate: ({ body }) => explain.evaluate(body),
    conflicts: () => explain.findings(ledger.staged<Policy>("routing_policy").all()),
    failMatrix: () => explain.failMatrix(),
    hits: () => explain.hits(),
    leakMatrix: ({ query }) => explain.leakMatrix(query),
    postures: () => explain.postures(),
  } satisfies HandlersOf<GatewayApi["policyViews"]>,
  enforcement: {
    render: () => explain.render(),
    rules: ({ query }) => explain.rules(query),
    drift: ({ query }) => summarize(drift()).slice(0, query.limit),
    driftDetails: () => [...drift()],
    reconciler: dataplane.report,
    reconcile: async (_, { cause }) => {
      ledger.change(cause, (draft) => draft.about("dataplane"));
      await dataplane.lookAgain(); // Who asks wants it looked at, not assumed.
      return dataplane.report();
    },
  } satisfies HandlersOf<GatewayApi["enforcement"]>,
});
