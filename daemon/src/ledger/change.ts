import type { Resource } from "./collection.ts";

/** "at-once": a committed change is published immediately. "on-apply": it is staged until an apply. */
export type Publishing = "at-once" | "on-apply";

/** Actor and action, for the audit entry and the revision. */
export interface Cause {
  readonly actor: string;
  readonly action: string;
  readonly resourceType: string;
}

/** Why the ledger refuses a change. The composition root converts it into a problem of the contract. */
export type Refusal = "change-pending" | "nothing-pending" | "unknown-revision" | "changed-meanwhile";

/** The write operations of one transaction. */
export interface Draft {
  put(kind: string, resource: Resource): void;
  remove(kind: string, id: string): void;
  /** Sets the resource of the audit entry, and its details in addition to the differences of staged resources. */
  about(id: string, details?: Readonly<Record<string, unknown>>): void;
}

/** The notification of a commit. */
export interface Commit {
  readonly revision?: number;
  readonly cause: Cause;
  readonly auditId: number;
  readonly resourceId: string;
}
