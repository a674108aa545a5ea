import type { Cause } from "../ledger/change.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { found, pageOf, refuseFull, refuseTaken } from "./resources.ts";

/** The dependencies of a service of named resources. */
export interface NamedNeeds {
  readonly ledger: Ledger;
  readonly refuseInUse: (kind: string, id: string) => void;
}

interface Named<R, C, U> extends NamedNeeds {
  readonly kind: string;
  readonly noun: string;
  readonly create: (body: C) => R;
  readonly update: (before: R, body: U) => R;
}
interface Query {
  readonly limit?: number;
  readonly cursor?: string;
}

/** The CRUD service of named resources: names are unique, and a referenced resource cannot be deleted. */
export function namedResource<R extends { id: string; name: string }, C, U>({
  ledger,
  refuseInUse,
  kind,
  noun,
  create,
  update,
}: Named<R, C, U>) {
  const collection = ledger.staged<R>(kind);
  function put(cause: Cause, resource: R): R {
    ledger.change(cause, (draft) => {
      refuseTaken(collection, noun, "name", resource.name, resource.id);
      draft.put(kind, resource);
    });
    return resource;
  }
  return {
    list: (query: Query) => pageOf(collection, query),
    get: (id: string): R => found(collection, noun, id),
    create: (cause: Cause, body: C): R => {
      refuseFull(collection, noun);
      return put(cause, create(body));
    },
    update: (cause: Cause, id: string, body: U): R => put(cause, update(found(collection, noun, id), body)),
    remove: (cause: Cause, id: string): void => {
      found(collection, noun, id);
      refuseInUse(kind, id);
      ledger.change(cause, (draft) => draft.remove(kind, id));
    },
  };
}
