import type { Announce } from "@portcullis/contract/events";
import type { Ledger } from "../ledger/ledger.ts";

/** Events for changes of the ledger. */
export function announceChanges(ledger: Ledger, announce: Announce): void {
  ledger.watch(({ revision, cause, auditId, resourceId }) => {
    announce("audit.recorded", {
      id: auditId,
      action: cause.action,
      resource_type: cause.resourceType,
      resource_id: resourceId,
    });
    if (revision === undefined) return;
    announce("revision.published", { revision, cause: cause.action, actor: cause.actor });
    const pending = ledger.releases.pending();
    if (pending?.revision === revision) announce("change.pending", { revision, deadline: pending.deadline });
  });
}
