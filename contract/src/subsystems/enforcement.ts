import Type, { type Static } from "typebox";
import { closed, limitOnly, pageOf } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import {
  Id,
  named,
  Nullable,
  OneOf,
  optionalSentenceFields,
  optionalValueFields,
  reasonFields,
  Timestamp,
} from "../values.ts";

const driftFields = {
  at: Timestamp,
  type: Type.String({ description: "Engine that found it" }),
  resource: Type.String({ description: "Table and chain, rule or route" }),
  field: Type.String(),
  ...optionalValueFields("expected", "null: it should not be there"),
  ...optionalValueFields("actual", "null: it was missing"),
};
const DriftItem = named("DriftItem", Type.Object(driftFields));
const DriftSummary = named(
  "DriftSummary",
  Type.Object({
    ...driftFields,
    differences: Type.Integer({ minimum: 1, description: "Number of differences that it summarizes" }),
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

const Rendered = named(
  "Rendered",
  Type.Object({
    revision: Type.Integer({ description: "The compiled revision" }),
    nftables: Type.String({
      description:
        "Guard, masquerade, steering, and redirection to proxies and resolvers: every table, as in a first load",
    }),
    rules: Type.Array(Type.String(), { description: "Routing rules, as commands" }),
    routes: Type.Array(Type.String(), { description: "Routes of the gateway's tables, as commands" }),
    sysctl: Type.Record(Type.String(), Type.String()),
  }),
);

const EnforcementRule = named(
  "EnforcementRule",
  Type.Object({
    rank: Type.Integer({ description: "The lower number wins" }),
    policy_id: Nullable(Id),
    name: Type.String({
      description: "The policy's; failover_exhausted, tunnel_required and unmatched apply without one",
    }),
    source_type: Nullable(Type.String()),
    source_value: Type.String(),
    plan: Type.Integer(),
    egress: Type.Integer(),
    mark: Nullable(
      Type.String({ description: "Mark of the matched packets; null for a split, where each egress has its own" }),
    ),
    table: Nullable(Type.Integer({ description: "Routing table; null: no single egress" })),
    interfaces: Type.Array(Type.String()),
    outcome: OneOf(["direct", "local", "block", "egress", "split", "next"]),
    ...reasonFields("Reason of the outcome, as a sentence"),
  }),
);

export const enforcement = {
  render: endpoint({
    method: "GET",
    path: "/render",
    role: "viewer",
    summary: "The compiled state of the published revision, whether or not the kernel has it",
    result: Rendered,
    errors: [],
    cli: { words: ["render"] },
  }),
  rules: endpoint({
    method: "GET",
    path: "/enforce",
    role: "viewer",
    summary: "The compiled rules, one for each policy, in order of evaluation",
    query: pageOf({}),
    result: Type.Array(EnforcementRule),
    paged: true,
    errors: [],
    cli: {
      words: ["enforce", "list"],
      columns: ["rank", "policy_id", "name", "source_type", "source_value", "outcome", "interfaces", "mark", "table"],
    },
  }),
  drift: endpoint({
    method: "GET",
    path: "/drift",
    role: "either",
    summary: "Foreign changes of the kernel state, newest first",
    description:
      "One item for each object that was removed or changed. The gateway reverts foreign changes immediately.",
    query: limitOnly,
    result: Type.Array(DriftSummary),
    errors: [],
    cli: { words: ["drift"], columns: ["at", "type", "resource", "field", "expected", "actual"] },
  }),
  driftDetails: endpoint({
    method: "GET",
    path: "/drift/details",
    role: "either",
    summary: "The same, with every rule, element and route",
    result: Type.Array(DriftItem),
    errors: [],
    cli: { words: ["drift", "details"], columns: ["at", "type", "resource", "field", "expected", "actual"] },
  }),
  reconciler: endpoint({
    method: "GET",
    path: "/reconcile",
    role: "viewer",
    summary: "Whether the kernel has the desired state, and when it was last compared",
    result: Reconciliation,
    errors: [],
    cli: { words: ["reconcile"] },
  }),
  reconcile: endpoint({
    method: "POST",
    path: "/enforce/reconcile",
    role: "operator",
    summary: "Compare with the kernel now, and repair differences",
    result: Reconciliation,
    errors: [],
    audit: { verb: "reconcile", noun: "enforcement" },
    cli: { words: ["enforce", "reconcile"] },
  }),
};

const EnforcementState = named(
  "EnforcementState",
  Type.Object({
    state: OneOf(["off", "waiting", "provisional", "reverted", "confirmed"], {
      description:
        "off: the dataplane is off; waiting: nothing was enforced on this machine yet; provisional: the first enforcement is in force until its deadline; reverted: it was not confirmed, and nothing is enforced; confirmed: it stays in force",
    }),
    ...optionalSentenceFields("message", "The current error, for a person; empty: none"),
    deadline: Nullable(Timestamp),
    remaining_sec: Nullable(Type.Integer()),
    confirmed_at: Nullable(Timestamp),
    confirmed_by: Nullable(Type.String()),
    confirmed_how: Nullable(
      Type.String({
        description: "network and the client's address, console and the reason, configuration, or upgrade",
      }),
    ),
  }),
);
export type EnforcementState = Static<typeof EnforcementState>;

/** The first enforcement on a machine: provisional until the operator confirms that the gateway is still reachable. */
export const firstEnforcement = {
  show: endpoint({
    method: "GET",
    path: "/enforcement",
    role: "viewer",
    summary: "Whether policies are enforced on this machine, and whether the operator confirmed it",
    result: EnforcementState,
    errors: [],
    cli: { words: ["enforcement", "show"] },
  }),
  confirm: endpoint({
    method: "POST",
    path: "/enforcement/confirm",
    role: "operator",
    summary: "Keep the first enforcement on this machine",
    description:
      "The request must come from another machine, over a connection that was opened after the rules were in force: it proves that the guard accepts its sender. A request from the gateway itself is refused unless from_console gives a reason.",
    body: named(
      "EnforcementConfirmation",
      closed({
        from_console: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 200,
            description: "Reason for the confirmation from the gateway itself; it is recorded",
          }),
        ),
      }),
    ),
    bodyOptional: true,
    result: EnforcementState,
    errors: ["conflict"],
    audit: { verb: "confirm", noun: "enforcement" },
    cli: { words: ["confirm"], args: ["from_console"] },
  }),
  revert: endpoint({
    method: "POST",
    path: "/enforcement/revert",
    role: "operator",
    summary: "Revert the unconfirmed first enforcement now: nothing is enforced, nothing is forwarded",
    result: EnforcementState,
    errors: ["conflict"],
    audit: { verb: "revert", noun: "enforcement" },
    cli: { words: ["enforcement", "revert"] },
  }),
  start: endpoint({
    method: "POST",
    path: "/enforcement/start",
    role: "operator",
    summary: "Enforce again after the first enforcement was reverted; it is provisional again",
    result: EnforcementState,
    errors: ["conflict"],
    audit: { verb: "start", noun: "enforcement" },
    cli: { words: ["enforcement", "start"] },
  }),
};
