import type { Page } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Resource } from "../../ledger/collection.ts";
import { found, pageOf } from "../resources.ts";

interface Query {
  readonly limit?: number;
  readonly cursor?: string;
}

interface Needs<R, C, U, Q> {
  readonly ledger: Ledger;
  readonly kind: string;
  readonly noun: string;
  readonly limit: number;
  readonly create: (body: C) => R;
  readonly update: (before: R, body: U) => R;
  /** Why it conflicts with another one. */
  readonly contradiction: (one: R, other: R) => string | undefined;
  /** The filter of a list; undefined: all. */
  readonly matcher: (query: Q) => ((resource: R) => boolean) | undefined;
}

/** The CRUD service of DNS entries, with a limit and without duplicates. */
export function entries<R extends Resource, C, U, Q extends Query>({
  ledger,
  kind,
  noun,
  limit,
  create,
  update,
  contradiction,
  matcher,
}: Needs<R, C, U, Q>) {
  const collection = ledger.staged<R>(kind);
  function put(cause: Cause, resource: R): R {
    for (const other of collection.all()) {
      const message = other.id === resource.id ? undefined : contradiction(resource, other);
      if (message !== undefined) throw new Problem("conflict", { existing_id: other.id }, { message });
    }
    ledger.change(cause, (draft) => draft.put(kind, resource));
    return resource;
  }
  return {
    list: (query: Q): Page<R> => pageOf(collection, query, matcher(query)),
    get: (id: string): R => found(collection, noun, id),
    create: (cause: Cause, body: C): R => {
      refuseMore(collection.count(), limit, `${noun}s`);
      return put(cause, create(body));
    },
    update: (cause: Cause, id: string, body: U): R => put(cause, update(found(collection, noun, id), body)),
    remove: (cause: Cause, id: string): void => {
      found(collection, noun, id);
      ledger.change(cause, (draft) => draft.remove(kind, id));
    },
  };
}

export function refuseMore(count: number, limit: number, of: string): void {
  if (count >= limit) throw new Problem("limit_reached", { limit, of }, { message: `At most ${limit} ${of}` });
}

/** A filter: every given field must be equal, and one of the texts of `part` must contain the text. */
export function wanted<R extends object>(
  fields: Partial<R>,
  part?: { readonly text: string | undefined; readonly of: (resource: R) => readonly string[] },
): ((resource: R) => boolean) | undefined {
  const exact = Object.entries(fields).filter(([, value]) => value !== undefined);
  const text = part?.text?.toLowerCase();
  if (exact.length === 0 && text === undefined) return undefined;
  return (resource) =>
    exact.every(([field, value]) => resource[field as keyof R] === value) &&
    (text === undefined || part!.of(resource).some((it) => it.toLowerCase().includes(text)));
}
