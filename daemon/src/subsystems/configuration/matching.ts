import type { Section } from "@portcullis/contract/config-sections";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Resource } from "../../ledger/collection.ts";
import { match, nameKey } from "../lookup.ts";
import type { Item } from "./representation.ts";

/** Finds the resources that items of a section mean. */
export interface Index {
  find(item: Item): Resource | undefined;
  add(resource: Resource): void;
}

/** As the lookup of names elsewhere: the exact name first, then the normalized one if only one resource has it. */
export function indexOf(ledger: Ledger, section: Section): Index {
  const { kind, key } = section;
  const isNamed = key.length === 1 && key[0] === "name";
  const byKey = new Map<string, Resource[]>();
  const keyOfResource = (it: Item) => (isNamed ? nameKey(it["name"] as string) : tuple(key, it));
  const keyOfItem = (it: Item) => (isNamed ? nameKey(it["name"] as string) : tuple(key, withIds(ledger, section, it)));
  const add = (resource: Resource): void => {
    const its = keyOfResource(resource as unknown as Item);
    const known = byKey.get(its) ?? [];
    byKey.set(its, known);
    known.push(resource);
  };
  // The secret of a tunnel may have the name of a stored one.
  const meant = (it: Resource) => kind !== "secret" || (it as unknown as Item)["purpose"] === "stored";
  for (const resource of ledger.staged(kind).all()) if (meant(resource)) add(resource);
  return {
    add,
    find: (item) => {
      const alike = byKey.get(keyOfItem(item)) ?? [];
      const exact = isNamed ? alike.filter((it) => (it as unknown as Item)["name"] === item["name"]) : [];
      const candidates = exact.length > 0 ? exact : alike;
      return candidates.length === 1 ? candidates[0] : undefined;
    },
  };
}

/** Key fields that an item need not have. */
const defaults: Item = {
  source_type: "everyone",
  source_value: "",
  match: "exact",
  value: "",
  role: "member",
  target: null,
};

const tuple = (key: readonly string[], it: Item): string =>
  JSON.stringify(key.map((field) => spelled(it[field] ?? defaults[field])));

const spelled = (value: unknown): unknown =>
  typeof value === "string" ? value.trim().toLowerCase().replace(/\.$/, "") : value;

/** References by id, as in stored resources. An unknown name stays, and matches nothing. */
function withIds(ledger: Ledger, { item: schema, key }: Section, item: Item): Item {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, { "x-refers-to"?: string }>> };
  const ids = key.flatMap((field) => {
    const { source_type: type } = item;
    const isSource = field === "source_value" && typeof type === "string" && !["everyone", "subnet"].includes(type);
    const kind = isSource ? type : properties[field]?.["x-refers-to"];
    const word = item[field];
    if (kind === undefined || typeof word !== "string") return [];
    const found = match(ledger.staged(kind), word);
    return found.kind === "one" ? [[field, found.resource.id] as const] : [];
  });
  return { ...item, ...Object.fromEntries(ids) };
}
