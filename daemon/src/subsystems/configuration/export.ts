import { type Section, sections } from "@portcullis/contract/config-sections";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Resource } from "../../ledger/collection.ts";
import { itemName } from "./attempting.ts";
import { nameLookup } from "./names.ts";
import { type Item, represented } from "./representation.ts";

/** The published configuration as a document. Its order does not depend on ids, so that equal gateways have equal exports. */
export function exported(ledger: Ledger, sees: (kind: string) => boolean): Record<string, unknown> {
  const published = ledger.releases.document(ledger.revision());
  const resourcesOf = (kind: string): readonly Resource[] => published[kind] ?? [];
  const nameOf = nameLookup(resourcesOf, finder(resourcesOf));
  const omitted = sections.filter(({ kind }) => !sees(kind)).map(({ name }) => name);
  const contents = sections
    .filter(({ kind }) => sees(kind))
    .flatMap((section) => {
      const items = resourcesOf(section.kind).flatMap((it): readonly Item[] => {
        const item = represented(section, it, nameOf);
        return item ? [item] : [];
      });
      return items.length === 0 ? [] : [[section.name, contentOf(section, items)] as const];
    });
  return { version: 1, ...(omitted.length > 0 && { omitted }), ...Object.fromEntries(contents) };
}

function finder(resourcesOf: (kind: string) => readonly Resource[]) {
  const maps = new Map<string, ReadonlyMap<string, Resource>>();
  return (kind: string, id: string): Resource | undefined => {
    const known = maps.get(kind) ?? new Map(resourcesOf(kind).map((it) => [it.id, it]));
    maps.set(kind, known);
    return known.get(id);
  };
}

const contentOf = (section: Section, items: readonly Item[]): unknown =>
  section.form === "single" ? items[0] : items.toSorted((a, b) => (placeOf(section, a) < placeOf(section, b) ? -1 : 1));

const placeOf = (section: Section, item: Item): string => itemName(section, item);
