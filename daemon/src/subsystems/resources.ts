import { randomUUIDv7 } from "node:crypto";
import { pageLimit } from "@portcullis/contract/collection";
import type { Page } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type { Resource, Collection } from "../ledger/collection.ts";
import { keyOf, nameKey, requireReference } from "./lookup.ts";

/** Shared functions of resources: lookup, pages, unique names, references by name. */

/** The page of a list. */
interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Ids increase with time, so that lists are in order of creation, and new rows are appended in the database file. */
export const newId = (): string => randomUUIDv7();

export function found<R extends Resource>(collection: Collection<R>, noun: string, id: string): R {
  const resource = collection.get(id);
  if (!resource) throw new Problem("not_found", { id }, { message: `No ${noun} has this id` });
  return resource;
}

/** One page of a collection, in order of id; `keep` filters it. */
export function pageOf<R extends Resource>(
  collection: Collection<R>,
  { limit = pageLimit.default, cursor }: PageQuery,
  keep?: (resource: R) => boolean,
): Page<R> {
  const after = cursor === undefined ? undefined : decodeId(cursor);
  if (!keep) return cut(collection.following(after, limit + 1), limit, collection.count());
  const kept = collection.all().filter(keep);
  const rest = after === undefined ? kept : kept.filter(({ id }) => id > after);
  return cut(rest, limit, kept.length);
}

function cut<R extends Resource>(rows: readonly R[], limit: number, total: number): Page<R> {
  if (rows.length <= limit) return { items: rows, total };
  const items = rows.slice(0, limit);
  return { items, total, next: encodeCursor(items.at(-1)!.id) };
}

export const encodeCursor = (key: string): string => Buffer.from(key).toString("base64url");

/** An invalid cursor is refused instead of being treated as the end of a list. */
function decodeCursor(cursor: string, form: RegExp): string {
  const key = Buffer.from(cursor, "base64url").toString();
  if (form.test(key)) return key;
  throw new Problem("invalid_request", { fields: [{ field: "query.cursor", problem: "is not a valid cursor" }] });
}

export const decodeId = (cursor: string): string => decodeCursor(cursor, /^[0-9a-f-]{36}$/);

/** For lists in order of a number, newest first. */
export const decodeNumber = (cursor: string): number => Number(decodeCursor(cursor, /^[0-9]{1,15}$/));

/** One page of computed rows, ordered by number. */
export function pageByNumber<R>(
  rows: readonly R[],
  numberOf: (row: R) => number,
  { limit = pageLimit.default, cursor }: PageQuery,
): Page<R> {
  const after = cursor === undefined ? -1 : decodeNumber(cursor);
  const rest = rows.filter((row) => numberOf(row) > after);
  const items = rest.slice(0, limit);
  return {
    items,
    total: rows.length,
    next: rest.length > limit ? encodeCursor(String(numberOf(items.at(-1)!))) : undefined,
  };
}

/** Refuses a value that another resource of the kind has: names are unique. */
export function refuseTaken<R extends Resource>(
  collection: Collection<R>,
  noun: string,
  field: keyof R & string,
  value: unknown,
  own?: string,
): void {
  if (value === null) return;
  const isSame =
    field === "name" && typeof value === "string" ? sameName(collection, value, own) : (it: R) => it[field] === value;
  const existing = collection.all().find((it) => it.id !== own && isSame(it));
  if (existing)
    throw new Problem(
      "conflict",
      { field, existing_id: existing.id },
      { message: `Another ${noun} has this ${field}` },
    );
}

/** Old ledgers may contain duplicate names: a resource that keeps its name can still be changed. */
function sameName<R extends Resource>(
  collection: Collection<R>,
  name: string,
  own: string | undefined,
): (it: R) => boolean {
  const key = nameKey(name);
  const before = own === undefined ? undefined : collection.get(own);
  return before && keyOf(before) === key ? () => false : (it) => keyOf(it) === key;
}

const maxResources = 100_000;

/** Limit per kind, so that a runaway script does not fill the disk. */
export function refuseFull(collection: Collection, noun: string): void {
  if (collection.count() >= maxResources) throw new Problem("limit_reached", { limit: maxResources, of: noun });
}

/** An id or a name → the id. An unknown one is an invalid request, not a 404. */
export function resolve<R extends Resource>(collection: Collection<R>, field: string, word: string): string {
  return requireReference(collection, `body.${field}`, word).id;
}

/** The same for a field that may be absent or null. */
export const resolveOptional = <R extends Resource>(
  collection: Collection<R>,
  field: string,
  word: string | null | undefined,
) => (word == null ? word : resolve(collection, field, word));

/** Refuses a field in the same format as schema validation. */
export function refuseField(field: string, problem: string, where: "body" | "query" | "path" = "body"): never {
  const path = `${where}.${field}`;
  throw new Problem("invalid_request", { fields: [{ field: path, problem }] }, { message: `${path}: ${problem}` });
}

/** The fields that a request contains; the others keep their value. */
export const given = <T extends object>(changes: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as never;
