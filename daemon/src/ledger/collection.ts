import type { Database } from "./database.ts";

/** Every published resource is an object with an id. */
export interface Resource {
  readonly id: string;
}

/** The staged resources of one kind in order of id: an in-memory copy of the table. */
export interface Collection<R extends Resource = Resource> {
  get(id: string): R | undefined;
  /** Every resource, in order of id. */
  all(): readonly R[];
  /** Up to `limit` resources with an id greater than `after`. */
  following(after: string | undefined, limit: number): readonly R[];
  count(): number;
}

/** A collection for the ledger itself, which writes to it inside a transaction. */
export interface WritableCollection extends Collection {
  set(id: string, resource: Resource | undefined): void;
}

export function openCollection(database: Database, kind: string): WritableCollection {
  let loaded: WritableCollection | undefined;

  /** Loaded at first use, so that the start does not wait for unused kinds. */
  const rows = (): WritableCollection =>
    (loaded ??= collectionOf(
      database
        .all("SELECT body FROM staged WHERE kind = ? ORDER BY id", kind)
        .map(({ body }) => deepFreeze(JSON.parse(String(body)) as Resource)),
    ));
  return {
    get: (id) => rows().get(id),
    all: () => rows().all(),
    count: () => rows().count(),
    following: (after, limit) => rows().following(after, limit),
    set: (id, resource) => rows().set(id, resource),
  };
}

/** A collection in memory, of resources in order of id. */
export function collectionOf(resources: readonly Resource[]): WritableCollection {
  const order = [...resources];
  const byId = new Map(order.map((resource) => [resource.id, resource]));
  return {
    get: (id) => byId.get(id),
    all: () => order,
    count: () => order.length,
    following: (after, limit) => {
      const start = after === undefined ? 0 : firstAfter(order, after);
      return order.slice(start, start + limit);
    },
    set: (id, resource) => {
      const known = byId.has(id);
      const index = firstAfter(order, id) - (known ? 1 : 0);
      if (resource) {
        order.splice(index, known ? 1 : 0, deepFreeze(resource));
        byId.set(id, resource);
      } else if (known) {
        order.splice(index, 1);
        byId.delete(id);
      }
    },
  };
}

/** Index of the first resource with a greater id. Ids are compared by code unit, like SQLite's BINARY order for ASCII. */
function firstAfter(order: readonly Resource[], id: string): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (order[middle]!.id <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === "object" && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}
