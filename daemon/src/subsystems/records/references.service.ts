import { Problem } from "@portcullis/contract/problem";
import type { References } from "@portcullis/contract/subsystems/records";
import { referenceFields } from "@portcullis/contract/values";
import type { TSchema } from "typebox";
import type { Ledger } from "../../ledger/ledger.ts";

/** Kind → the schema of its resources. The schemas say which fields refer to what. */
export type Kinds = Readonly<Record<string, TSchema>>;

export function referenceService({ ledger, kinds }: { ledger: Ledger; kinds: Kinds }) {
  const fields = Object.entries(kinds).flatMap(([from, schema]) =>
    referenceFields(schema).map(({ field, kind }) => ({ from, field, to: kind })),
  );

  /** How many resources of each kind name this one. */
  function counts(kind: string, id: string): Record<string, number> {
    const mine = fields.filter(({ to }) => to === kind);
    const sources = [...new Set(mine.map(({ from }) => from))];
    const pairs = sources.map((from) => [plural(from), referring(from, mine, id)] as const);
    return Object.fromEntries(pairs.filter(([, count]) => count > 0));
  }
  const referring = (from: string, mine: typeof fields, id: string): number =>
    ledger
      .staged(from)
      .all()
      .filter((resource) => mine.some((it) => it.from === from && names(resource, it.field, id))).length;

  return {
    show: (type: string, word: string): References => {
      const kind = type.replaceAll("-", "_");
      const known = kind in kinds ? ledger.staged(kind) : undefined;
      const resource = known?.get(word) ?? known?.all().find((it) => (it as { name?: string }).name === word);
      if (!resource)
        throw new Problem(
          "not_found",
          { type: kind, id: word },
          { message: `No ${kind.replaceAll("_", " ")} has this id or name` },
        );
      const referenced_by = counts(kind, resource.id);
      return {
        type: kind,
        id: resource.id,
        referenced_by,
        total: Object.values(referenced_by).reduce((a, b) => a + b, 0),
      };
    },
    /** `except` names kinds whose reference dies with the resource. */
    refuseInUse: (kind: string, id: string, except: readonly string[] = []): void => {
      const referenced_by = counts(kind, id);
      for (const source of except) delete referenced_by[plural(source)];
      if (Object.keys(referenced_by).length > 0) throw new Problem("in_use", { referenced_by });
    },
  };
}

function names(resource: object, field: string, id: string): boolean {
  const value = (resource as Record<string, unknown>)[field];
  return Array.isArray(value) ? value.includes(id) : value === id;
}

const plural = (kind: string): string =>
  kind.endsWith("s") ? `${kind}es` : kind.endsWith("y") ? `${kind.slice(0, -1)}ies` : `${kind}s`;
