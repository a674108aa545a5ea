import type { Section } from "@portcullis/contract/config-sections";
import { Problem } from "@portcullis/contract/problem";
import type { Attempt } from "../../ledger/attempt.ts";
import { canonical } from "../../ledger/canonical.ts";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Resource } from "../../ledger/collection.ts";
import { refuseField } from "../resources.ts";
import type { Index } from "./matching.ts";
import { hasMarker, markersIn, withoutMarkers } from "./markers.ts";
import type { ListOperations, Operations, SingleOperations } from "./operations.ts";
import { type Item, type NameOf, represented } from "./representation.ts";

export interface Upserting {
  readonly ledger: Ledger;
  readonly attempt: Attempt;
  readonly operations: Operations;
  readonly nameOf: NameOf;
  readonly cause: Cause;
  readonly isAdmin: boolean;
}

/** Makes one resource of a list as its item says; returns its id. */
export async function upsert(needs: Upserting, section: Section, index: Index, item: Item): Promise<string> {
  const { ledger, operations, cause, isAdmin } = needs;
  const { kind, key, isCreated } = section;
  const its = operations[kind] as ListOperations;
  if (!isCreated) {
    const id = String(item[key[0]!]);
    await update(needs, section, { before: ledger.staged(kind).get(id), item, change: changing(its, id) });
    return id;
  }
  const adopt = async (before: Resource): Promise<string> => {
    await update(needs, section, { before, item, change: changing(its, before.id) });
    return before.id;
  };
  const found = index.find(item);
  // It may have been deleted together with another one.
  const existing = found && ledger.staged(kind).get(found.id);
  if (existing) return adopt(existing);
  const [missing] = markersIn(item);
  if (missing) refuseField(missing.join("."), "has no stored value: give the value itself to create the resource");
  try {
    const id = await its.create!(cause, item, isAdmin);
    index.add(ledger.staged(kind).get(id)!);
    return id;
  } catch (error) {
    const twin = key[0] === "name" ? undefined : existingIn(error);
    const same = twin === undefined ? undefined : ledger.staged(kind).get(twin);
    if (!same) throw error;
    const id = await adopt(same);
    const keyOf = (it: Resource | undefined) =>
      canonical(key.map((field) => (it as Item | undefined)?.[field] ?? null));
    // The same resource in another spelling, which only its service knows; otherwise one that excludes it.
    if (keyOf(same) !== keyOf(ledger.staged(kind).get(id))) throw error;
    return id;
  }

  function changing(service: ListOperations, id: string): Change {
    return (body) => service.update(cause, id, body, isAdmin);
  }
}

/** The same for a section that is one object. */
export async function put(needs: Upserting, section: Section, item: Item): Promise<void> {
  const { ledger, operations, cause } = needs;
  const service = operations[section.kind] as SingleOperations;
  const current = (): Resource | undefined => ledger.staged(section.kind).all()[0];
  await update(needs, section, { before: current(), item, change: (body) => service.put(cause, body), isWhole: true });
}

type Change = (body: object) => unknown;

/** Changes the fields that differ. What only a service normalizes or counts is no change: it is undone. */
async function update(
  { ledger, attempt, nameOf }: Upserting,
  section: Section,
  {
    before,
    item,
    change,
    isWhole = false,
  }: { before: Resource | undefined; item: Item; change: Change; isWhole?: boolean },
): Promise<void> {
  const { kind, key, isCreated } = section;
  const shown = (it: Resource | undefined): Item => (it && represented(section, it, nameOf)) ?? {};
  const old = shown(before);
  const differs = (field: string): boolean => canonical(old[field]) !== canonical(item[field]);
  const isSent = (field: string): boolean =>
    differs(field) || (field === "source_value" && differs("source_type") && item["source_type"] !== undefined);
  const sendable = Object.keys(item).filter((field) => isCreated || !key.includes(field));
  const sent = new Set(sendable.filter(isSent));
  if (sent.size === 0) return;
  const undo = attempt.mark();
  const send = async (fields: ReadonlySet<string>) => {
    await change(withoutMarkers(Object.fromEntries(Object.entries(item).filter(([field]) => fields.has(field)))));
    const after = before ? ledger.staged(kind).get(before.id) : ledger.staged(kind).all()[0];
    const now = shown(after);
    for (const path of markersIn(item)) if (!hasMarker(now, path)) refuseField(path.join("."), lost);
    const reset = sendable.filter((field) => !fields.has(field) && canonical(now[field]) !== canonical(item[field]));
    return { after, now, reset };
  };
  // The settings of some single resources are replaced as a whole.
  let done = await send(isWhole ? new Set(sendable) : sent);
  if (done.reset.length > 0) {
    // Their service resets them with the others, unless the request has them.
    undo();
    done = await send(new Set([...sent, ...done.reset]));
  }
  const { after, now } = done;
  if (before && canonical(old) === canonical(now) && sealedIn(before) === sealedIn(after)) undo();
}

const lost = "has no stored value, or one that was given for another destination: give the value itself";

/** Which value of its secret a resource has. */
export const sealedIn = (resource: Resource | undefined): string => {
  const { secret, version } = (resource ?? {}) as { readonly secret?: unknown; readonly version?: unknown };
  return canonical([secret ?? null, version ?? null]);
};

function existingIn(error: unknown): string | undefined {
  if (!(error instanceof Problem) || error.code !== "conflict") return undefined;
  const { existing_id: id } = error.details;
  return typeof id === "string" ? id : undefined;
}
