import { setImmediate as nextTurn } from "node:timers/promises";
import { sections } from "@portcullis/contract/config-sections";
import type { Reason } from "@portcullis/contract/reason";
import type { Ledger } from "../../ledger/ledger.ts";
import { configurationRoutes } from "../../subsystems/configuration/configuration.routes.ts";
import { configurationService } from "../../subsystems/configuration/configuration.service.ts";
import type { Operations } from "../../subsystems/configuration/operations.ts";
import { ownerStore } from "../../subsystems/configuration/owners.store.ts";
import type { historyService } from "../../subsystems/history/history.service.ts";
import { rightsOf } from "../../subsystems/history/rights.ts";
import type { Routing } from "../../subsystems/routing/routing.service.ts";
import type { Vault } from "../../subsystems/secrets/vault.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly history: ReturnType<typeof historyService>;
  readonly policies: { readonly routing: Pick<Routing, "check"> };
  /** The modules with operations of kinds that a document can contain. */
  readonly documented: readonly { readonly operations: Operations }[];
  readonly enforced: () => Promise<boolean>;
  readonly notEnforced: () => Reason | null;
}

/** The configuration as one document. */
export function openConfiguration(needs: Needs) {
  const { ledger, vault, history, policies, documented, enforced, notEnforced } = needs;
  const operations: Operations = Object.assign({}, ...documented.map((it) => it.operations));
  const forgotten = sections.filter(({ kind }) => !operations[kind]);
  if (forgotten.length > 0) throw new Error(`No operations for ${forgotten.map(({ kind }) => kind).join(", ")}`);
  const service = configurationService({
    ledger,
    owners: ownerStore(ledger.database),
    operations,
    checkPolicies: policies.routing.check,
    keepAttempted: (attempt, write) => vault.keepAttempted(attempt, write),
    pause: () => nextTurn(),
  });
  return {
    handlers: {
      configuration: configurationRoutes({
        ledger,
        service,
        seesOf: (caller) => rightsOf(caller).sees,
        current: history.current,
        enforced,
        notEnforced,
      }),
    },
  };
}
