import type { Caller, HandlersOf } from "@portcullis/contract/handler";
import { type Reason, whyNotEnforced } from "@portcullis/contract/reason";
import { type configuration, documentSchema } from "@portcullis/contract/subsystems/configuration";
import type { Snapshot } from "@portcullis/contract/subsystems/history";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Configuration, DocumentRequest } from "./configuration.service.ts";
import { exported } from "./export.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly service: Configuration;
  /** Which kinds a caller may read. */
  readonly seesOf: (caller: Caller | undefined) => (kind: string) => boolean;
  /** The current snapshot, and the deadline of its confirmation. */
  readonly current: () => { readonly snapshot: Snapshot; readonly confirmUntil: string | null };
  /** Resolves when the engines are done, with whether all of it is in force. */
  readonly enforced: () => Promise<boolean>;
  /** Why nothing is enforced on this machine; null: it is. */
  readonly notEnforced: () => Reason | null;
}

export function configurationRoutes(needs: Needs): HandlersOf<typeof configuration> {
  const { ledger, service, seesOf, current, enforced, notEnforced } = needs;
  let schema: ReturnType<typeof documentSchema> | undefined;
  async function apply(request: DocumentRequest) {
    const plan = await service.apply(request);
    const isEnforced = await enforced();
    const { snapshot, confirmUntil } = current();
    return {
      ...plan,
      snapshot,
      confirm_until: confirmUntil,
      enforced: isEnforced,
      ...whyNotEnforced(notEnforced()),
    };
  }
  return {
    validate: ({ body, query: { prune } }, { cause, caller }) =>
      service.validate({ document: body, cause, caller, prune }),
    apply: ({ body, query: { prune, confirm_within: confirmWithinSec } }, { cause, caller }) =>
      apply({ document: body, cause, caller, prune, confirmWithinSec }),
    import: ({ body, query: { confirm_within: confirmWithinSec } }, { cause, caller }) =>
      apply({ document: body, cause, caller, confirmWithinSec }),
    export: (_, { caller }) => exported(ledger, seesOf(caller)),
    // Without a credential: it is made once.
    schema: () => (schema ??= documentSchema()),
  };
}
