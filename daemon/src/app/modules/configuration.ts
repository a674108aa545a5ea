import { setImmediate as nextTurn } from "node:timers/promises";
import type { Reason } from "@portcullis/contract/reason";
import type { Finding } from "@portcullis/contract/subsystems/routing";
import type { Ledger } from "../../ledger/ledger.ts";
import { configurationRoutes } from "../../subsystems/configuration/configuration.routes.ts";
import { configurationService } from "../../subsystems/configuration/configuration.service.ts";
import type { Operations } from "../../subsystems/configuration/operations.ts";
import { ownerStore } from "../../subsystems/configuration/owners.store.ts";
import type { historyService } from "../../subsystems/history/history.service.ts";
import { rightsOf } from "../../subsystems/history/rights.ts";
import type { Vault } from "../../subsystems/secrets/vault.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly history: ReturnType<typeof historyService>;
  /** The operations of each kind that a document can contain. */
  readonly operations: Operations;
  readonly checkPolicies: () => Finding[];
  readonly enforced: () => Promise<boolean>;
  readonly notEnforced: () => Reason | null;
}

/** The configuration as one document. */
export function openConfiguration({ ledger, vault, history, operations, checkPolicies, enforced, notEnforced }: Needs) {
  const service = configurationService({
    ledger,
    owners: ownerStore(ledger.database),
    operations,
    checkPolicies,
    keepAttempted: vault.keepAttempted,
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
