import type { Database } from "../../ledger/database.ts";

/** One resource of a document. */
export interface Claim {
  readonly kind: string;
  readonly id: string;
}

export const claimKey = ({ kind, id }: Claim): string => `${kind} ${id}`;

/** Which documents created or adopted which resources. Writes run inside the caller's change. */
export const ownerStore = (database: Database) => ({
  of: (owner: string): Claim[] =>
    database
      .all("SELECT kind, id FROM document_resource WHERE owner = ? ORDER BY kind, id", owner)
      .map(({ kind, id }) => ({ kind: String(kind), id: String(id) })),
  hasOther: (owner: string, { kind, id }: Claim): boolean =>
    database.get("SELECT 1 FROM document_resource WHERE kind = ? AND id = ? AND owner <> ?", kind, id, owner) !==
    undefined,
  add: (owner: string, { kind, id }: Claim): void =>
    void database.run("INSERT INTO document_resource (owner, kind, id) VALUES (?, ?, ?)", owner, kind, id),
  remove: (owner: string, { kind, id }: Claim): void =>
    void database.run("DELETE FROM document_resource WHERE owner = ? AND kind = ? AND id = ?", owner, kind, id),
});
export type OwnerStore = ReturnType<typeof ownerStore>;
