import type { Database } from "./database.ts";

/** A range of numbers for names of one kind. */
export interface Pool {
  readonly kind: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Assigns a permanent number to each name: the kernel identifies marks and tables by number, and a number with a new
 * meaning would keep existing flows on a wrong path. Unused names lose their number only if the pool is exhausted.
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

/** The numbers that an allocation would assign, without assigning them. */
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
  if (free.length < missing.length) throw new Error(`The pool of numbers for ${pool.kind} is exhausted`);
  const gone = new Set(unwanted.map(([name]) => name));
  return {
    kept: new Map([...known].filter(([name]) => !gone.has(name))),
    added: new Map(missing.map((name, index) => [name, free[index]!])),
  };
}

function freeNumbers({ first, last }: Pool, known: Numbered): number[] {
  const taken = new Set(known.values());
  return Array.from({ length: last - first + 1 }, (_, index) => first + index).filter((number) => !taken.has(number));
}
