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
  if (names.every((name) => known.has(name))) return known;
  return database.transaction(() => {
    const { kept, added } = assignment(pool, known, names);
    for (const name of known.keys())
      if (!kept.has(name)) database.run("DELETE FROM allocation WHERE kind = ? AND name = ?", pool.kind, name);
    for (const [name, number] of added)
      database.run("INSERT INTO allocation (kind, name, number) VALUES (?, ?, ?)", pool.kind, name, number);
    return new Map([...kept, ...added]);
  });
}

/** The numbers an allocation would give, without giving them: for whoever only looks. */
export function previewAllocation(
  database: Database,
  pool: Pool,
  names: readonly string[],
): ReadonlyMap<string, number> {
  const { kept, added } = assignment(pool, numbersOf(database, pool.kind), names);
  return new Map([...kept, ...added]);
}

const numbersOf = (database: Database, kind: string): Map<string, number> =>
  new Map(
    database
      .all("SELECT name, number FROM allocation WHERE kind = ?", kind)
      .map(({ name, number }) => [String(name), Number(number)]),
  );

type Numbered = ReadonlyMap<string, number>;

/** Which names keep their numbers, and which are added. */
function assignment(pool: Pool, known: Numbered, names: readonly string[]): { kept: Numbered; added: Numbered } {
  const missing = names.filter((name) => !known.has(name));
  const free = freeNumbers(pool, known);
  const wanted = new Set(names);
  const unwanted = free.length < missing.length ? [...known].filter(([name]) => !wanted.has(name)) : [];
  free.push(...unwanted.map(([, number]) => number));
  if (free.length < missing.length) throw new Error(`There are more of kind ${pool.kind} than numbers for them`);
  const gone = new Set(unwanted.map(([name]) => name));
  return {
    kept: new Map([...known].filter(([name]) => !gone.has(name))),
    added: new Map(missing.map((name, place) => [name, free[place]!])),
  };
}

function freeNumbers({ first, last }: Pool, known: Numbered): number[] {
  const taken = new Set(known.values());
  return Array.from({ length: last - first + 1 }, (_, place) => first + place).filter((number) => !taken.has(number));
}
