import type { Database } from "./database.ts";

/** Numbers from `first` to `last`, for names of one kind. */
export interface Pool {
  readonly kind: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Gives each name a number and keeps it: the kernel knows marks and tables, not names, and a number that changed its
 * meaning would keep old flows on a wrong path. Only when a pool is empty do names nobody wants lose theirs.
 */
export function allocate(database: Database, pool: Pool, names: readonly string[]): ReadonlyMap<string, number> {
  const known = numbersOf(database, pool.kind);
  const missing = names.filter((name) => !known.has(name));
  if (missing.length === 0) return known;
  return database.transaction(() => {
    const free = freeNumbers(pool, known);
    if (free.length < missing.length) free.push(...release(database, pool.kind, known, new Set(names)));
    if (free.length < missing.length) throw new Error(`There are more of kind ${pool.kind} than numbers for them`);
    for (const [place, name] of missing.entries()) {
      known.set(name, free[place]!);
      database.run("INSERT INTO allocation (kind, name, number) VALUES (?, ?, ?)", pool.kind, name, free[place]!);
    }
    return known;
  });
}

const numbersOf = (database: Database, kind: string): Map<string, number> =>
  new Map(
    database
      .all("SELECT name, number FROM allocation WHERE kind = ?", kind)
      .map(({ name, number }) => [String(name), Number(number)]),
  );

function freeNumbers({ first, last }: Pool, known: ReadonlyMap<string, number>): number[] {
  const taken = new Set(known.values());
  return Array.from({ length: last - first + 1 }, (_, place) => first + place).filter((number) => !taken.has(number));
}

function release(database: Database, kind: string, known: Map<string, number>, wanted: ReadonlySet<string>): number[] {
  const unwanted = [...known].filter(([name]) => !wanted.has(name));
  for (const [name] of unwanted) {
    known.delete(name);
    database.run("DELETE FROM allocation WHERE kind = ? AND name = ?", kind, name);
  }
  return unwanted.map(([, number]) => number);
}
