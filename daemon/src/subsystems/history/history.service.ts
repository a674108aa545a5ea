import type { Announce, RevertReason } from "@portcullis/contract/events";
import type { Page } from "@portcullis/contract/endpoint";
import { pageLimit } from "@portcullis/contract/collection";
import { Problem } from "@portcullis/contract/problem";
import type { Changes, Difference, RolledBack, Snapshot } from "@portcullis/contract/subsystems/history";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Revision } from "../../ledger/releases.ts";
import { decodeNumber, encodeCursor } from "../resources.ts";
import { excludedBy, type Rights, type Sees } from "./rights.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly now: () => Date;
  readonly announce: Announce;
}

export type History = ReturnType<typeof historyService>;

/** Snapshots, rollback, and pending changes. */
export function historyService({ ledger, now, announce }: Needs) {
  const { releases } = ledger;

  const toSnapshot = (revision: Revision): Snapshot => ({
    id: String(revision.number),
    created_at: revision.at,
    actor: revision.actor,
    cause: revision.cause,
    digest: revision.digest,
    changed: revision.changed,
    pinned: revision.pinned,
    note: revision.note,
    current: revision.number === ledger.revision(),
  });
  function snapshot(id: string): Snapshot {
    const revision = releases.find(Number(id));
    if (!revision)
      throw new Problem("not_found", { snapshot: id }, { message: "No snapshot has this id, or retention removed it" });
    return toSnapshot(revision);
  }
  const differences = (sees: Sees, from: string, to: string): Difference[] => {
    snapshot(from);
    snapshot(to);
    return releases.differences(Number(from), Number(to)).filter(({ kind }) => sees(kind));
  };
  function changes(sees: Sees): Changes {
    return { staged: releases.staged(), pending: pendingView(sees), applied: snapshot(String(ledger.revision())) };
  }
  function pendingView(sees: Sees): Changes["pending"] {
    const pending = releases.pending();
    if (!pending) return null;
    const { revision, base, actor, deadline, kinds } = pending;
    const remainingMs = Date.parse(deadline) - now().getTime();
    return {
      snapshot: String(revision),
      reverts_to: String(base),
      actor,
      deadline,
      remaining_sec: Math.max(0, Math.ceil(remainingMs / 1000)),
      kinds: [...kinds],
      differences: releases.differences(base, revision).filter(({ kind }) => sees(kind)),
    };
  }

  /** A change is confirmed or reverted as a whole, so that an operator cannot decide about one with an admin's part. */
  function refusePendingOfOthers(rights: Rights): void {
    const pending = releases.pending();
    if (!pending) return;
    const [before, after] = [releases.document(pending.base), releases.document(pending.revision)];
    const excluded = excludedBy(rights, before, after);
    if (excluded.length > 0)
      throw new Problem(
        "forbidden",
        { excluded },
        {
          message:
            "The pending change contains resources that only an admin may change; an admin has to decide about it",
        },
      );
  }

  return {
    list: ({ limit = pageLimit.default, cursor }: { limit?: number; cursor?: string }): Page<Snapshot> => {
      const before = cursor === undefined ? undefined : decodeNumber(cursor);
      const found = releases.list({ before, limit: limit + 1 });
      const items = found.slice(0, limit).map(toSnapshot);
      return {
        items,
        total: releases.count(),
        next: found.length > limit ? encodeCursor(items.at(-1)!.id) : undefined,
      };
    },
    get: (sees: Sees, id: string) => {
      const whole = snapshot(id);
      const document = Object.entries(releases.document(Number(id))).filter(([kind]) => sees(kind));
      return {
        ...whole,
        kinds: releases.kindDigests(Number(id)),
        document: Object.fromEntries(document) as unknown as Record<string, Record<string, unknown>[]>,
      };
    },
    differences: (sees: Sees, id: string, to = String(ledger.revision())): Difference[] => differences(sees, id, to),
    describe: (cause: Cause, id: string, change: { pinned?: boolean; note?: string }): Snapshot => {
      snapshot(id);
      releases.describe(cause, Number(id), change);
      return snapshot(id);
    },
    /** Resources that the caller may not change stay unchanged; the response lists them. */
    rollback: (cause: Cause, rights: Rights, id: string, confirmWithinSec: number | undefined): RolledBack => {
      snapshot(id);
      const excluded = excludedBy(rights, releases.document(ledger.revision()), releases.document(Number(id)));
      const revision = releases.rollback(cause, Number(id), confirmWithinSec, {
        choose: rights.choose,
        ...(excluded.length > 0 && { details: { excluded } }),
      });
      return { ...snapshot(String(revision)), confirm_until: releases.pending()?.deadline ?? null, excluded };
    },
    changes,
    current: () => ({
      snapshot: snapshot(String(ledger.revision())),
      confirmUntil: releases.pending()?.deadline ?? null,
    }),
    confirm: (cause: Cause, rights: Rights): Changes => {
      const pending = releases.pending();
      refusePendingOfOthers(rights);
      releases.confirm(cause);
      announce("change.confirmed", { revision: pending!.revision });
      return changes(rights.sees);
    },
    /** Without `rights`: by the gateway itself, as a whole. */
    revert: (cause: Cause, reason: RevertReason, rights?: Rights): void => {
      const pending = releases.pending();
      if (rights) refusePendingOfOthers(rights);
      releases.revert(cause, reason);
      announce("change.reverted", { revision: pending!.revision, reason });
    },
  };
}
