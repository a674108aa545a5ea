import Type, { type Static } from "typebox";
import { pageOf } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { named, Nullable, OneOf, Timestamp } from "../values.ts";

export const AuditEntry = named(
  "AuditEntry",
  Type.Object({
    id: Type.Integer(),
    timestamp: Timestamp,
    actor: Type.String(),
    action: Type.String({ description: "Verb and noun, such as create_device" }),
    resource_type: Type.String(),
    resource_id: Type.String(),
    resource_name: Nullable(Type.String({ description: "Its name at that time; null: it has no name" })),
    details: Type.Record(Type.String(), Type.Unknown()),
  }),
);
export type AuditEntry = Static<typeof AuditEntry>;

const Word = Type.String({ maxLength: 200 });

export const audit = {
  list: endpoint({
    method: "GET",
    path: "/audit",
    role: "viewer",
    summary: "The audit log: actors and their changes, newest first",
    query: pageOf({
      actor: Word,
      action: Word,
      resource_type: Word,
      resource_id: Word,
      since: Timestamp,
      until: Timestamp,
    }),
    result: Type.Array(AuditEntry),
    paged: true,
    errors: [],
    cli: {
      words: ["audit", "list"],
      columns: ["timestamp", "actor", "action", "resource_type", "resource_name", "resource_id"],
    },
  }),
};

/** The specification has two forms of some kinds. */
const ReferableKind = OneOf([
  "profile",
  "privacy_class",
  "privacy-class",
  "trust_class",
  "trust-class",
  "tunnel",
  "proxy",
]);

export const References = named(
  "References",
  Type.Object({
    type: Type.String(),
    id: Type.String(),
    name: Nullable(Type.String()),
    referenced_by: Type.Record(Type.String(), Type.Integer(), {
      description: "Kind → number of resources that refer to it",
    }),
    total: Type.Integer(),
  }),
);
export type References = Static<typeof References>;

export const references = {
  show: endpoint({
    method: "GET",
    path: "/references/{type}/{id}",
    role: "viewer",
    summary: "Resources that refer to an object",
    params: Type.Object({
      type: ReferableKind,
      id: Type.String({ minLength: 1, maxLength: 120, description: "Id or name" }),
    }),
    result: References,
    errors: ["not_found"],
  }),
};
