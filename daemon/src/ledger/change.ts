import type { Resource } from "./collection.ts";

/** "at-once": a committed change is published with it. "on-apply": it waits, staged, for a release. */
export type Publishing = "at-once" | "on-apply";

/** Who does what: the audit entry, and the cause of a revision. */
export interface Cause {
  readonly actor: string;
  readonly action: string;
  readonly resourceType: string;
}

/** Why the ledger says no. The composition root turns it into a problem of the contract. */
export type Refusal = "change-pending" | "nothing-pending" | "unknown-revision";

/** What one transaction may write. */
export interface Draft {
  put(kind: string, resource: Resource): void;
  remove(kind: string, id: string): void;
  /** Which resource the audit entry names, and what it tells beyond the differences of staged resources. */
  about(id: string, details?: Readonly<Record<string, unknown>>): void;
}

/** What watchers hear after a commit. */
export interface Commit {
  readonly revision?: number;
  readonly cause: Cause;
  readonly auditId: number;
  readonly resourceId: string;
}
