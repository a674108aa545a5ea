import { type Section, sections } from "@portcullis/contract/config-sections";
import type { Caller } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import { admits } from "@portcullis/contract/role";
import { type ConfigDocument, type ConfigPlan, documentLimits } from "@portcullis/contract/subsystems/configuration";
import type { Finding } from "@portcullis/contract/subsystems/routing";
import type { Attempt } from "../../ledger/attempt.ts";
import type { Cause } from "../../ledger/change.ts";
import type { Attempted, Ledger } from "../../ledger/ledger.ts";
import { serial } from "../../system/async.ts";
import { attemptDocument, existingOf } from "./attempting.ts";
import { nameLookup } from "./names.ts";
import type { Operations } from "./operations.ts";
import { ownershipAfter, prunedBy, refuseOthersDeleted, unowned } from "./ownership.ts";
import type { Claim, OwnerStore } from "./owners.store.ts";
import { planOf } from "./plan.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly owners: OwnerStore;
  readonly operations: Operations;
  /** The findings about the staged policies; contradictions are refused. */
  readonly checkPolicies: () => Finding[];
  /** Seals the secrets of an attempt, then runs `write`; `store` stores them. */
  readonly keepAttempted: <T>(attempt: Attempt, write: (store: () => void) => T) => Promise<T>;
  /** Lets other requests run between two parts of a long document. */
  readonly pause: () => Promise<void>;
}

/** A request with a document. */
export interface DocumentRequest {
  readonly document: ConfigDocument;
  readonly cause: Cause;
  readonly caller: Pick<Caller, "role"> | undefined;
  readonly prune?: boolean | undefined;
  readonly confirmWithinSec?: number | undefined;
}

interface Tried {
  readonly plan: ConfigPlan;
  /** Whether the configuration changes; otherwise at most owners do. */
  readonly publishes: boolean;
  readonly adopted: readonly Claim[];
  readonly released: readonly Claim[];
}

export type Configuration = ReturnType<typeof configurationService>;

/** Tries and applies configuration documents. */
export function configurationService({ ledger, owners, operations, checkPolicies, keepAttempted, pause }: Needs) {
  const inTurn = serial();

  async function attempt(request: DocumentRequest): Promise<Attempted<Tried>> {
    const { document, cause, caller, prune = false, confirmWithinSec } = request;
    const { owner } = document;
    if (prune && owner === undefined)
      throw new Problem("invalid_request", {}, { message: "A document without owner has nothing to prune" });
    const contained = sections.filter(({ name }) => document[name] !== undefined);
    refuseRole(contained, caller);
    refuseLarge(contained, document);
    const known = owner === undefined ? [] : owners.of(owner);
    const going = prune ? goingOf(owner!, known, document) : [];
    refuseRole(
      sections.filter(({ kind }) => going.some((it) => it.kind === kind)),
      caller,
    );
    const publishes = [...contained, ...going].some(({ kind }) => onApply.has(kind));
    return ledger.attempt({ publishes }, async (attempted) => {
      const nameOf = nameLookup(
        (kind) => ledger.staged(kind).all(),
        (kind, id) => ledger.staged(kind).get(id) ?? attempted.states(kind, id).before,
      );
      const isAdmin = caller?.role === "admin";
      const needs = { ledger, attempt: attempted, operations, nameOf, cause, isAdmin, pause };
      const claims = await attemptDocument(needs, document, going);
      refuseOthersDeleted(attempted, going);
      // A reverted apply must leave no owner: its next prune would delete what was made by hand.
      const owned = confirmWithinSec === undefined ? ownershipAfter(ledger, { owner, known, claims, prune }) : unowned;
      const singles = contained.filter(({ form }) => form === "single").length;
      const planned = planOf(attempted, claims, singles, nameOf);
      const along = publishes ? stagedBefore(attempted) : [];
      const isChanging = planned.changes.length + along.length > 0;
      if (isChanging && ledger.releases.pending()) throw new Problem("change_pending");
      const isWriting = isChanging || owned.adopted.length + owned.lost > 0;
      const plan: ConfigPlan = {
        result: isWriting ? "changes" : "unchanged",
        owner: owner ?? null,
        ...planned,
        adopted: owned.adopted.length,
        released: owned.lost,
        published_along: along,
        findings: publishes ? checkPolicies() : [],
      };
      return { ...owned, plan, publishes: isChanging };
    });
  }

  /** What a rollback or another document has deleted needs no deletion. */
  const goingOf = (owner: string, known: readonly Claim[], document: ConfigDocument): readonly Claim[] =>
    prunedBy(owners, owner, known, existingOf(ledger, document)).filter(({ kind, id }) => ledger.staged(kind).get(id));

  /** Resources of on-apply kinds that were staged before, and that the document does not change. */
  function stagedBefore(attempted: Attempt): ConfigPlan["published_along"] {
    const touched = new Set(attempted.differences().map(({ kind, id }) => `${kind} ${id}`));
    return ledger.releases
      .staged()
      .filter(({ kind, id }) => !touched.has(`${kind} ${id}`))
      .map(({ kind, name, change }) => ({ kind, name, change }));
  }

  async function apply(request: DocumentRequest): Promise<ConfigPlan> {
    const { result, attempt: attempted, commit } = await attempt(request);
    const { plan, adopted, released, publishes } = result;
    if (plan.result === "unchanged") return plan;
    const { owner = null } = request.document;
    await keepAttempted(attempted, (store) =>
      commit(request.cause, {
        confirmWithinSec: publishes ? request.confirmWithinSec : undefined,
        about: owner ?? "document",
        details: { owner, ...plan.summary, adopted: plan.adopted, released: plan.released },
        along: () => {
          store();
          for (const claim of adopted) owners.add(owner!, claim);
          for (const claim of released) owners.remove(owner!, claim);
        },
      }),
    );
    return plan;
  }

  return {
    validate: async (request: DocumentRequest): Promise<ConfigPlan> => (await attempt(request)).result.plan,
    apply: (request: DocumentRequest): Promise<ConfigPlan> => inTurn(() => apply(request)),
  };
}

/** Their changes are published by an apply. */
const onApply: ReadonlySet<string> = new Set(["routing_policy", "profile"]);

/** A document must not change what the endpoints refuse to its caller. */
function refuseRole(needed: readonly Section[], caller: DocumentRequest["caller"]): void {
  const refused = needed.filter(({ role }) => !caller || !admits(role, caller.role));
  if (refused.length > 0)
    throw new Problem(
      "forbidden",
      { sections: refused.map(({ name }) => name) },
      { message: `Only an admin may change: ${refused.map(({ name }) => name).join(", ")}` },
    );
}

function refuseLarge(contained: readonly Section[], document: ConfigDocument): void {
  const resources = contained.reduce((sum, { name, form }) => {
    const content = document[name];
    return sum + (form === "list" ? (content as readonly unknown[]).length : 1);
  }, 0);
  const limit = documentLimits.resources;
  if (resources > limit)
    throw new Problem("limit_reached", { limit, of: "resources" }, { message: `At most ${limit} resources` });
}
