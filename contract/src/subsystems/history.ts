import Type, { type Static } from "typebox";
import { closed, pageOf } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Digest, named, Nullable, OneOf, Text, Timestamp } from "../values.ts";

const SnapshotId = Type.String({ pattern: "^[0-9]{1,15}$", description: "Revision number of the snapshot" });
/** In a body it may be a number as well. */
const SnapshotNumber = Type.Unsafe<string | number>({
  ...SnapshotId,
  type: ["string", "integer"],
  minimum: 0,
  maximum: 999_999_999_999_999,
});
const Kind = Type.String({ description: "Resource kind, such as device" });

export const Snapshot = named(
  "Snapshot",
  Type.Object({
    id: SnapshotId,
    created_at: Timestamp,
    actor: Type.String(),
    cause: Type.String({ description: "Action that published it" }),
    digest: Digest,
    changed: Type.Integer({ description: "Resources that differ from the previous snapshot" }),
    pinned: Type.Boolean({ description: "Pinned snapshots survive retention" }),
    note: Type.String(),
    current: Type.Boolean({ description: "Whether this is the published state" }),
  }),
);
export type Snapshot = Static<typeof Snapshot>;

const Document = named(
  "SnapshotDocument",
  Type.Object({
    ...Snapshot.properties,
    kinds: Type.Record(Type.String(), Digest, { description: "Digest of each kind" }),
    document: Type.Record(Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown())), {
      description: "All resources by kind, in order of id",
    }),
  }),
);

export const Difference = named(
  "Difference",
  Type.Object({
    kind: Kind,
    id: Type.String(),
    name: Type.String(),
    change: OneOf(["added", "removed", "changed"]),
    fields: Type.Array(Type.Object({ field: Type.String(), before: Type.Unknown(), after: Type.Unknown() })),
  }),
);
export type Difference = Static<typeof Difference>;

const RolledBack = named(
  "RolledBack",
  Type.Object({
    ...Snapshot.properties,
    confirm_until: Nullable({
      ...Timestamp,
      description: "When it is reverted unless confirmed; null: it is permanent",
    }),
    excluded: Type.Array(
      Type.Object({
        kind: Kind,
        count: Type.Integer({ description: "Resources of this kind" }),
        names: Type.Array(Type.String(), { description: "Their names, if the caller may read the kind" }),
      }),
      { description: "Resources that were not rolled back, because the caller's role may not change them" },
    ),
  }),
);
export type RolledBack = Static<typeof RolledBack>;

const Pending = Type.Object(
  {
    snapshot: SnapshotId,
    reverts_to: SnapshotId,
    actor: Type.String(),
    deadline: Timestamp,
    remaining_sec: Type.Integer(),
    kinds: Type.Array(Kind, { description: "Kinds that cannot change until it is confirmed or reverted" }),
    differences: Type.Array(Difference),
  },
  { title: "PendingChange" },
);

export const Changes = named(
  "Changes",
  Type.Object({
    staged: Type.Array(Difference, { description: "Staged, not yet published" }),
    pending: Nullable(Pending),
    applied: Snapshot,
  }),
);
export type Changes = Static<typeof Changes>;

export const confirmWithin = {
  confirm_within: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: "Seconds until the change is reverted unless it is confirmed",
    }),
  ),
};

const params = Type.Object({ id: SnapshotId });

export const snapshots = {
  list: endpoint({
    method: "GET",
    path: "/snapshots",
    role: "viewer",
    summary: "List the published states, newest first",
    query: pageOf({}),
    result: Type.Array(Snapshot),
    paged: true,
    errors: [],
    cli: {
      words: ["snapshots", "list"],
      columns: ["id", "created_at", "actor", "cause", "changed", "pinned", "digest"],
    },
  }),
  get: endpoint({
    method: "GET",
    path: "/snapshots/{id}",
    role: "viewer",
    summary: "Show a published state with its document",
    params,
    result: Document,
    errors: ["not_found"],
    cli: { words: ["snapshots", "get"], args: ["id"] },
  }),
  differences: endpoint({
    method: "GET",
    path: "/snapshots/{id}/differences",
    role: "viewer",
    summary: "Differences between two published states",
    params,
    query: closed({
      to: Type.Optional(
        Type.String({ pattern: "^[0-9]{1,15}$", description: "The other snapshot; the current one unless given" }),
      ),
    }),
    result: Type.Array(Difference),
    errors: ["not_found"],
  }),
  update: endpoint({
    method: "PUT",
    path: "/snapshots/{id}",
    role: "operator",
    summary: "Pin a snapshot, or change its note",
    params,
    body: named(
      "SnapshotUpdate",
      closed({ pinned: Type.Optional(Type.Boolean()), note: Type.Optional(Text("Free text")) }),
    ),
    result: Snapshot,
    errors: ["not_found"],
    audit: { verb: "update", noun: "snapshot" },
    cli: { words: ["snapshots", "update"], args: ["id"] },
  }),
  rollback: endpoint({
    method: "POST",
    path: "/rollback",
    role: "operator",
    summary: "Publish an older state again and stage it",
    description:
      "Resources that the caller's role may not change, such as settings for an operator, stay as they are; `excluded` lists them.",
    query: closed(confirmWithin),
    body: named("Rollback", closed({ snapshot: SnapshotNumber })),
    result: RolledBack,
    errors: ["not_found", "change_pending"],
    audit: { verb: "rollback", noun: "snapshot" },
    cli: { words: ["rollback"], args: ["snapshot"] },
  }),
};

export const changes = {
  show: endpoint({
    method: "GET",
    path: "/changes",
    role: "viewer",
    summary: "Staged, pending and applied changes",
    result: Changes,
    errors: [],
    cli: { words: ["changes"] },
  }),
  confirm: endpoint({
    method: "POST",
    path: "/changes/confirm",
    role: "operator",
    summary: "Confirm the pending change",
    result: Changes,
    errors: ["not_found"],
    audit: { verb: "confirm", noun: "change" },
    cli: { words: ["changes", "confirm"] },
  }),
  revert: endpoint({
    method: "POST",
    path: "/changes/revert",
    role: "operator",
    summary: "Revert the pending change now",
    result: Changes,
    errors: ["not_found"],
    audit: { verb: "revert", noun: "change" },
    cli: { words: ["changes", "revert"] },
  }),
};
