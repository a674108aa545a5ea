import { Problem } from "@portcullis/contract/problem";
import type { Cause, Draft } from "../ledger/change.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { found, refuseTaken } from "./resources.ts";
import { discardedPassword, type SecretChange } from "./sent-secrets.ts";

/** The reference of a sealed value. */
export interface SecretPlace {
  readonly id: string;
  readonly version: number;
}

/** The secret store, for resources with a secret. */
export interface SecretKeeping {
  readonly keepFor: <T>(
    cause: Cause,
    owned: {
      readonly id: string | undefined;
      readonly purpose: Purpose;
      readonly name: string;
      readonly value: string;
    },
    write: (draft: Draft, secret: SecretPlace) => T,
  ) => Promise<T>;
  readonly revealFor: (secret: SecretPlace) => Promise<string>;
  readonly renameFor: (draft: Draft, id: string, name: string) => void;
  readonly forgetFor: (draft: Draft, id: string) => void;
}
type Purpose = "tunnel" | "proxy" | "dns_extfilter" | "alert_channel" | "mqtt";

interface Sealed {
  readonly id: string;
  readonly name: string;
  readonly secret: SecretPlace | null;
}

interface Needs {
  readonly ledger: Ledger;
  readonly secrets: SecretKeeping;
  readonly kind: Purpose;
}

/** Writes and deletes a resource together with its secret, in one transaction. */
export function sealedResource<R extends Sealed>({ ledger, secrets, kind }: Needs) {
  const collection = ledger.staged<R>(kind);

  function write(draft: Draft, before: R | undefined, resource: R): R {
    // Sealing takes time. A request that is based on an outdated state would restore that state.
    if (collection.get(resource.id) !== before)
      throw new Problem("conflict", { id: resource.id }, { message: `The ${kind} was changed meanwhile; try again` });
    refuseTaken(collection, kind, "name", resource.name, resource.id);
    draft.put(kind, resource);
    return resource;
  }

  return {
    put: async (cause: Cause, before: R | undefined, wanted: R, change: SecretChange): Promise<R> => {
      const old = before?.secret ?? null;
      if (change.kind === "seal") {
        const owned = { id: old?.id, purpose: kind, name: wanted.name, value: change.value };
        return secrets.keepFor(cause, owned, (draft, secret) => {
          draft.about(wanted.id, change.details);
          return write(draft, before, { ...wanted, secret });
        });
      }
      return ledger.change(cause, (draft) => {
        const kept = change.kind === "keep" ? old : null;
        const resource = write(draft, before, { ...wanted, secret: kept });
        if (old && !kept) secrets.forgetFor(draft, old.id);
        if (change.kind === "discard") draft.about(wanted.id, change.details ?? discardedPassword);
        if (kept && before?.name !== wanted.name) secrets.renameFor(draft, kept.id, wanted.name);
        return resource;
      });
    },
    remove: (cause: Cause, id: string): void => {
      const { secret } = found(collection, kind, id);
      ledger.change(cause, (draft) => {
        draft.remove(kind, id);
        if (secret) secrets.forgetFor(draft, secret.id);
      });
    },
  };
}

/** The resource without the reference of its secret, for responses. */
export const withoutSecret = <R extends Sealed>(resource: R): Omit<R, "secret"> =>
  Object.fromEntries(Object.entries(resource).filter(([field]) => field !== "secret")) as Omit<R, "secret">;
