import { type Section, sections } from "@portcullis/contract/config-sections";
import type { ConfigPlan } from "@portcullis/contract/subsystems/configuration";
import type { Attempt } from "../../ledger/attempt.ts";
import { canonical } from "../../ledger/canonical.ts";
import type { Resource } from "../../ledger/collection.ts";
import { itemName } from "./attempting.ts";
import { secretsShown } from "./markers.ts";
import { type Claim, claimKey } from "./owners.store.ts";
import { type Item, type NameOf, represented } from "./representation.ts";
import { sealedIn } from "./upsert.ts";

type Change = ConfigPlan["changes"][number];
export type Planned = Pick<ConfigPlan, "changes" | "summary"> & { readonly kinds: ReadonlySet<string> };

/** What an attempt changes, in the terms of a document. Counters and other derived fields are no part of it. */
export function planOf(attempt: Attempt, claims: readonly Claim[], singles: number, nameOf: NameOf): Planned {
  const byKind = new Map(sections.map((it) => [it.kind, it]));
  const changed = new Set<string>();
  const kinds = new Set<string>();
  const changes = attempt.differences().flatMap(({ kind, id }) => {
    const section = byKind.get(kind);
    const change = section && changeOf(section, attempt.states(kind, id), nameOf);
    if (!change) return [];
    changed.add(claimKey({ kind, id }));
    kinds.add(kind);
    return [change];
  });
  const count = (action: Change["action"]) => changes.filter((it) => it.action === action).length;
  const changedSingles = sections.filter(({ form, kind }) => form === "single" && kinds.has(kind)).length;
  const unchanged = claims.filter((it) => !changed.has(claimKey(it))).length + singles - changedSingles;
  return {
    changes: changes.toSorted((a, b) => order(a) - order(b)),
    kinds,
    summary: { create: count("create"), change: count("change"), delete: count("delete"), unchanged },
  };
}

const positions = new Map(sections.map(({ name }, position) => [name, position]));
const order = ({ section }: Change): number => positions.get(section)!;

function changeOf(
  section: Section,
  { before, after }: { readonly before: Resource | undefined; readonly after: Resource | undefined },
  nameOf: NameOf,
): Change | undefined {
  const [old, fresh] = [before, after].map((it) => it && represented(section, it, nameOf));
  const isResealed = old && fresh && sealedIn(before) !== sealedIn(after);
  const fields = [
    ...differing(old ?? {}, fresh ?? {}),
    ...(isResealed ? [{ field: "secrets", before: "(secret)", after: "(secret)" }] : []),
  ];
  if ((!old && !fresh) || fields.length === 0) return undefined;
  const isNew = section.form === "list" && section.isCreated ? !old : false;
  const action = fresh ? (isNew ? "create" : "change") : "delete";
  const name = section.form === "single" ? section.name : itemName(section, (fresh ?? old)!);
  return { kind: section.kind, section: section.name, name, action, fields };
}

/** Fields of objects inside of a resource have a path with dots. */
function differing(before: Item, after: Item, path = ""): Change["fields"] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((field) => {
    const [was, is] = [before[field], after[field]];
    if (canonical(was ?? null) === canonical(is ?? null)) return [];
    const name = `${path}${field}`;
    if (isPlain(was) && isPlain(is)) return differing(was, is, `${name}.`);
    return [{ field: name, before: secretsShown(was ?? null), after: secretsShown(is ?? null) }];
  });
}

const isPlain = (value: unknown): value is Item =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("secret" in value);
