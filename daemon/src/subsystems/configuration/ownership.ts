import { sections } from "@portcullis/contract/config-sections";
import { Problem } from "@portcullis/contract/problem";
import type { Attempt } from "../../ledger/attempt.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { type Claim, claimKey, type OwnerStore } from "./owners.store.ts";
import { represented } from "./representation.ts";

/** The resources of an owner that a document does not contain, and that no other document has. */
export function prunedBy(
  owners: OwnerStore,
  owner: string,
  known: readonly Claim[],
  existing: readonly Claim[],
): readonly Claim[] {
  const kept = new Set(existing.map(claimKey));
  return known.filter((it) => !kept.has(claimKey(it)) && !owners.hasOther(owner, it));
}

const reportedAlso = 20;

/** The deletion of a resource may delete what is part of it, such as the records of a zone, which may have another owner or none. */
export function refuseOthersDeleted(attempted: Attempt, going: readonly Claim[]): void {
  const own = new Set(going.map(claimKey));
  const others = attempted
    .differences()
    .filter((it) => it.change === "removed" && !own.has(claimKey(it)))
    .filter(({ kind, id }) => {
      const section = sections.find((it) => it.kind === kind);
      // Secrets of a tunnel or a proxy go with it.
      return section?.isCreated === true && represented(section, attempted.states(kind, id).before!, (_, of) => of);
    });
  if (others.length === 0) return;
  const also = others.slice(0, reportedAlso).map(({ kind, name }) => ({ kind, name }));
  const named = also.map(({ kind, name }) => `${kind} ${JSON.stringify(name)}`).join(", ");
  throw new Problem(
    "in_use",
    { also, count: others.length },
    { message: `The document would also delete what this owner does not have: ${named}` },
  );
}

interface Ownership {
  readonly adopted: readonly Claim[];
  readonly released: readonly Claim[];
  /** How many of the released ones exist: other documents have them. */
  readonly lost: number;
}

/** Owners stay as they are. */
export const unowned: Ownership = { adopted: [], released: [], lost: 0 };

const created: ReadonlySet<string> = new Set(sections.filter((it) => it.isCreated).map(({ kind }) => kind));

/**
 * Which resources an owner gets and loses. Without `prune` it keeps those that its document does not contain any more, for a
 * later one with `prune`.
 */
export function ownershipAfter(
  ledger: Ledger,
  {
    owner,
    known,
    claims,
    prune,
  }: {
    readonly owner: string | undefined;
    readonly known: readonly Claim[];
    readonly claims: readonly Claim[];
    readonly prune: boolean;
  },
): Ownership {
  if (owner === undefined) return unowned;
  const before = new Set(known.map(claimKey));
  const wanted = new Set(claims.map(claimKey));
  const released = prune ? known.filter((it) => !wanted.has(claimKey(it))) : [];
  return {
    adopted: claims.filter((it) => created.has(it.kind) && !before.has(claimKey(it))),
    released,
    lost: released.filter(({ kind, id }) => ledger.staged(kind).get(id)).length,
  };
}
