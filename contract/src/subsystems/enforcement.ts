import Type from "typebox";
import { endpoint } from "../endpoint.ts";
import { named, Nullable, OneOf, Timestamp } from "../values.ts";

const DriftItem = named(
  "DriftItem",
  Type.Object({
    at: Timestamp,
    type: Type.String({ description: "Engine that found it" }),
    resource: Type.String({ description: "Table and chain, rule or route" }),
    field: Type.String(),
    expected: Nullable(Type.String({ description: "null: it should not be there" })),
    actual: Nullable(Type.String({ description: "null: it was missing" })),
  }),
);

const Reconciliation = named(
  "Reconciliation",
  Type.Object({
    running: Type.Boolean({ description: "Whether engines are driven" }),
    last_run: Nullable(Timestamp),
    applied_revision: Type.Integer(),
    drift_count: Type.Integer(),
    engines: Type.Array(
      Type.Object({
        name: Type.String(),
        status: OneOf(["ok", "failed"]),
        changes: Type.Integer(),
        message: Type.String(),
      }),
    ),
  }),
);

export const enforcement = {
  drift: endpoint({
    method: "GET",
    path: "/drift",
    role: "either",
    summary: "What was changed behind the gateway's back, newest first",
    result: Type.Array(DriftItem),
    errors: [],
    cli: { words: ["drift"], columns: ["at", "type", "resource", "field", "expected", "actual"] },
  }),
  reconciler: endpoint({
    method: "GET",
    path: "/reconcile",
    role: "viewer",
    summary: "Whether the kernel is as it should be, and when that was last seen to",
    result: Reconciliation,
    errors: [],
    cli: { words: ["reconcile"] },
  }),
  reconcile: endpoint({
    method: "POST",
    path: "/enforce/reconcile",
    role: "operator",
    summary: "Compare with the kernel now, and put right what is not",
    result: Reconciliation,
    errors: [],
    audit: { verb: "reconcile", noun: "enforcement" },
    cli: { words: ["enforce", "reconcile"] },
  }),
};
