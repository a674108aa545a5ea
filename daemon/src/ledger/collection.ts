import type { Database } from "./database.ts";

/** Every published resource is an object with an id. */
export interface Resource {
  readonly id: string;
}

/** The staged resources of one kind, kept in memory in order of id. The table is the truth; this is its mirror. */
export interface Collection<R extends Resource = Resource> {
  get(id: string): R | undefined;
  /** Every resource, in order of id. */
  all(): readonly R[];
  /** Up to `limit` resources whose id follows `after`. */
  following(after: string | undefined, limit: number): readonly R[];
  count(): number;
}

/** What the ledger itself may do to a collection, inside a transaction. */
export interface WritableCollection extends Collection {
  set(id: string, resource: Resource | undefined): void;
}

export function openCollection(database: Database, kind: string): WritableCollection {
  let loaded: { readonly byId: Map<string, Resource>; readonly order: Resource[] } | undefined;

  /** Read at first use, so that a start does not wait for kinds nobody asks for. */
  function rows() {
    if (loaded) return loaded;
    const order = database
      .all("SELECT body FROM staged WHERE kind = ? ORDER BY id", kind)
      .map(({ body }) => deepFreeze(JSON.parse(String(body)) as Resource));
    loaded = { order, byId: new Map(order.map((resource) => [resource.id, resource])) };
    return loaded;
  }
  return {
    get: (id) => rows().byId.get(id),
    all: () => rows().order,
    count: () => rows().order.length,
    following: (after, limit) => {
      const { order } = rows();
      const start = after === undefined ? 0 : firstAfter(order, after);
      return order.slice(start, start + limit);
    },
    set: (id, resource) => {
      const { byId, order } = rows();
      const known = byId.has(id);
      const place = firstAfter(order, id) - (known ? 1 : 0);
      if (resource) {
        order.splice(place, known ? 1 : 0, deepFreeze(resource));
        byId.set(id, resource);
      } else if (known) {
        order.splice(place, 1);
        byId.delete(id);
      }
    },
  };
}

/** Index of the first resource whose id is greater. Ids compare by code unit, as SQLite's BINARY order does for ASCII. */
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
