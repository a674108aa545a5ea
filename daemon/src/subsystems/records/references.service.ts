import { Problem } from "@portcullis/contract/problem";
import type { References } from "@portcullis/contract/subsystems/records";
import { referenceFields } from "@portcullis/contract/values";
import type { TSchema } from "typebox";
import type { Ledger } from "../../ledger/ledger.ts";
import { nounOf, requireNamed } from "../lookup.ts";

/** Kind → the schema of its resources, whose annotations mark references. */
export type Kinds = Readonly<Record<string, TSchema>>;

export function referenceService({ ledger, kinds }: { ledger: Ledger; kinds: Kinds }) {
  const fields = Object.entries(kinds).flatMap(([from, schema]) =>
    referenceFields(schema).map(({ field, kind }) => ({ from, field, to: kind })),
  );

  const kindsWithHops = Object.entries(kinds).flatMap(([from, schema]) => (hasHops(schema) ? [from] : []));

  /** The number of resources that refer to this one, by kind. */
  function counts(kind: string, id: string): Record<string, number> {
    const mine = fields.filter(({ to }) => to === kind);
    const sources = [...new Set(mine.map(({ from }) => from))];
    const { name } = (ledger.staged(kind).get(id) ?? {}) as { name?: string };
    return nonZero([
      ...sources.map((from) => [from, referring(from, mine, id)] as const),
      ...hopsTo(kind, (target) => target === id || target === name),
    ]);
  }
  /**
   * Policies are staged until an apply, tunnels and proxies are not. So the hops in force count as well as the staged
   * ones, and those that a revert of the pending change would restore.
   */
  function hopsTo(kind: string, isMeant: (target: string) => boolean): (readonly [from: string, count: number])[] {
    const type = hopTypes[kind];
    if (type === undefined || kindsWithHops.length === 0) return [];
    const published = documents();
    return kindsWithHops.map((from) => {
      const all = [...ledger.staged(from).all(), ...published.flatMap((document) => document[from] ?? [])];
      const referring = all.filter((it) =>
        (it as unknown as Hopping).hops.some((hop) => hop.type === type && isMeant(hop.target)),
      );
      return [from, new Set(referring.map(({ id }) => id)).size];
    });
  }
  /** The published document, and the one that a revert of the pending change would restore. */
  const documents = () =>
    [ledger.revision(), ledger.releases.pending()?.base]
      .filter((it) => it !== undefined)
      .map((revision) => ledger.releases.document(revision));

  function referring(from: string, mine: typeof fields, id: string): number {
    // A schedule is not staged, policies are: those in force count, too.
    const isInForce = from === "routing_policy" && mine.some(({ to }) => to === "schedule");
    const published = isInForce ? documents() : [];
    const all = [...ledger.staged(from).all(), ...published.flatMap((document) => document[from] ?? [])];
    const found = all.filter((resource) => mine.some((it) => it.from === from && names(resource, it.field, id)));
    return new Set(found.map((it) => it.id)).size;
  }

  return {
    show: (type: string, word: string): References => {
      const kind = type.replaceAll("-", "_");
      const resource = requireNamed(ledger.staged(kind), nounOf(kind), word);
      const referenced_by = counts(kind, resource.id);
      return {
        type: kind,
        id: resource.id,
        name: (resource as { readonly name?: string }).name ?? null,
        referenced_by,
        total: Object.values(referenced_by).reduce((a, b) => a + b, 0),
      };
    },
    /** `except`: kinds whose references are deleted together with the resource. */
    refuseInUse: (kind: string, id: string, except: readonly string[] = []): void => {
      const referenced_by = counts(kind, id);
      for (const source of except) delete referenced_by[plural(source)];
      if (Object.keys(referenced_by).length > 0) throw new Problem("in_use", { referenced_by });
    },
    /** A resource that hops refer to by name cannot be renamed. */
    refuseNamed: (kind: string, name: string): void => {
      const referenced_by = nonZero(hopsTo(kind, (target) => target === name));
      if (Object.keys(referenced_by).length > 0)
        throw new Problem("in_use", { referenced_by }, { message: "Hops refer to this one by its name" });
    },
  };
}

/** Kind → type of its hops. */
const hopTypes: Readonly<Record<string, string>> = { tunnel: "vpn", proxy: "proxy" };

interface Hopping {
  readonly hops: readonly { readonly type: string; readonly target: string }[];
}
const hasHops = (schema: TSchema): boolean => "hops" in ((schema as { properties?: object }).properties ?? {});

/** Counts under the plural of their kind, without the zeros. */
const nonZero = (counts: readonly (readonly [kind: string, count: number])[]): Record<string, number> =>
  Object.fromEntries(counts.filter(([, count]) => count > 0).map(([kind, count]) => [plural(kind), count]));

function names(resource: object, field: string, id: string): boolean {
  const value = (resource as Record<string, unknown>)[field];
  return Array.isArray(value) ? value.includes(id) : value === id;
}

const plural = (kind: string): string =>
  kind.endsWith("s") ? `${kind}es` : kind.endsWith("y") ? `${kind.slice(0, -1)}ies` : `${kind}s`;
