import { randomUUIDv7 } from "node:crypto";
import { pageLimit } from "@portcullis/contract/collection";
import type { Page } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type { Resource, Collection } from "../ledger/collection.ts";
import { keyOf, nameKey, requireReference } from "./lookup.ts";

/** The furniture every plain resource shares: finding, listing in pages, unique names, references by name. */

/** A request can only tell so much of where it wants to go on reading. */
interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Ids grow with time, so that lists are in the order of creation and new rows gather on the last page of the file. */
export const newId = (): string => randomUUIDv7();

export function found<R extends Resource>(collection: Collection<R>, noun: string, id: string): R {
  const resource = collection.get(id);
  if (!resource) throw new Problem("not_found", { id }, { message: `No ${noun} has this id` });
  return resource;
}

/** One page of a collection, in order of id; `keep` narrows it. */
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

/** A cursor that is not one of ours must not pass for the end of a list. */
function decodeCursor(cursor: string, form: RegExp): string {
  const key = Buffer.from(cursor, "base64url").toString();
  if (form.test(key)) return key;
  throw new Problem("invalid_request", { fields: [{ field: "query.cursor", problem: "is not one of ours" }] });
}

export const decodeId = (cursor: string): string => decodeCursor(cursor, /^[0-9a-f-]{36}$/);

/** For lists in order of a number, newest first. */
export const decodeNumber = (cursor: string): number => Number(decodeCursor(cursor, /^[0-9]{1,15}$/));

/** One page of rows that are made when they are asked for, in an order that has a number for each. */
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

/** Names are how people and plans speak of a resource: two of a kind may not share one. */
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

/** Ledgers from before names of devices were unique may have pairs: what keeps its name may be changed otherwise. */
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

/** A runaway script must not fill the disk. */
export function refuseFull(collection: Collection, noun: string): void {
  if (collection.count() >= maxResources) throw new Problem("limit_reached", { limit: maxResources, of: noun });
}

/** An id or a name → the id. What exists nowhere is a mistake of the request, not a missing page. */
export function resolve<R extends Resource>(collection: Collection<R>, field: string, word: string): string {
  return requireReference(collection, `body.${field}`, word).id;
}

/** The same for a field that may be absent or null. */
export const resolveOptional = <R extends Resource>(
  collection: Collection<R>,
  field: string,
  word: string | null | undefined,
) => (word == null ? word : resolve(collection, field, word));

/** What the schema cannot say is refused in the words in which the schema would refuse it. */
export function refuseField(field: string, problem: string, where: "body" | "query" = "body"): never {
  const place = `${where}.${field}`;
  throw new Problem("invalid_request", { fields: [{ field: place, problem }] }, { message: `${place}: ${problem}` });
}

/** The fields a request gave; what it left out keeps its value. */
export const given = <T extends object>(changes: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as never;
