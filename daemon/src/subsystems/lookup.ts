import { nearest } from "@portcullis/contract/nearest";
import { Problem } from "@portcullis/contract/problem";
import type { Resource } from "../ledger/collection.ts";

/** Lookup of resources by id or name. */

/** The searched resources, such as a collection of the ledger. */
interface Searched<R> {
  get(id: string): R | undefined;
  all(): readonly R[];
}

type Match<R> =
  | { readonly kind: "one"; readonly resource: R }
  | { readonly kind: "several"; readonly candidates: readonly R[] }
  | { readonly kind: "none" };

/** A word in the form of an id is always an id, even if no resource has it and a name is equal to it. */
export const isId = (word: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word);

/** The exact name takes precedence; then the normalized name, if only one resource has it. */
export function match<R extends Resource>(searched: Searched<R>, word: string): Match<R> {
  const byId = searched.get(word);
  if (byId) return { kind: "one", resource: byId };
  if (isId(word)) {
    const resource = searched.get(word.toLowerCase());
    return resource ? { kind: "one", resource } : { kind: "none" };
  }
  const key = nameKey(word);
  const alike = searched.all().filter((it) => keyOf(it) === key);
  const exact = alike.filter((it) => labelOf(it) === word);
  const candidates = exact.length > 0 ? exact : alike;
  const [first] = candidates;
  if (!first) return { kind: "none" };
  return candidates.length === 1 ? { kind: "one", resource: first } : { kind: "several", candidates };
}

/** A list of resources as Searched. */
export const searchedIn = <R extends Resource>(resources: readonly R[]): Searched<R> => ({
  get: (id) => resources.find((it) => it.id === id),
  all: () => resources,
});

/**
 * The normalized form of a name for comparison: compatibility forms, case, spaces and invisible characters are
 * ignored.
 */
export function nameKey(name: string): string {
  const plain = /^[\x20-\x7e]*$/.test(name)
    ? name
    : name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return plain.toLowerCase().replace(/\s+/gu, " ").trim();
}

/** Resources are immutable, so that their keys can be cached: each change of one of 100,000 devices compares all. */
const keys = new WeakMap<Resource, string>();

export function keyOf(resource: Resource): string | undefined {
  const known = keys.get(resource);
  if (known !== undefined) return known;
  const label = labelOf(resource);
  if (label === undefined) return undefined;
  const key = nameKey(label);
  if (Object.isFrozen(resource)) keys.set(resource, key);
  return key;
}

/** The label of a DNS filter entry is its domain. */
function labelOf(resource: Resource): string | undefined {
  const { name, domain } = resource as { readonly name?: unknown; readonly domain?: unknown };
  return [name, domain].find((it) => typeof it === "string") as string | undefined;
}

/** For a path: the resource, or a problem with status 404 or 409. */
export function requireNamed<R extends Resource>(searched: Searched<R>, noun: string, word: string): R {
  const it = match(searched, word);
  if (it.kind === "one") return it.resource;
  if (it.kind === "several")
    throw new Problem("conflict", { name: word, candidates: shown(it.candidates) }, { message: ambiguity(word, it) });
  const closest = isId(word) ? undefined : closestName(searched, word);
  const sentence = isId(word) ? `No ${noun} has this id` : `No ${noun} has the name ${JSON.stringify(word)}`;
  throw new Problem(
    "not_found",
    { id: word, ...(closest !== undefined && { did_you_mean: closest }) },
    { message: `${sentence}${suggestion(closest)}` },
  );
}

/** The id for an id or name in a path or a query. An id is returned unchanged: the service checks whether it exists. */
export function idNamed(
  searched: Searched<Resource>,
  kind: string,
  word: string,
  location: { readonly in: "path" | "query"; readonly field: string },
): string {
  if (isId(word)) return word;
  return location.in === "path"
    ? requireNamed(searched, nounOf(kind), word).id
    : requireReference(searched, `query.${location.field}`, word).id;
}

/** For a field of a request: the resource, or the field is refused. */
export function requireReference<R extends Resource>(searched: Searched<R>, field: string, word: string): R {
  const it = match(searched, word);
  if (it.kind === "one") return it.resource;
  const closest = it.kind === "none" ? closestName(searched, word) : undefined;
  const problem =
    it.kind === "several"
      ? ambiguity(word, it)
      : `does not exist: ${JSON.stringify(word)}${suggestion(closest)}${offer(searched)}`;
  const mistake = {
    field,
    problem,
    ...(closest !== undefined && { did_you_mean: closest }),
    ...(it.kind === "several" && { candidates: shown(it.candidates) }),
  };
  throw new Problem("invalid_request", { fields: [mistake] }, { message: `${field}: ${problem}` });
}

/** A word of a fixed set, case-insensitive; other words are refused with the list of allowed ones. */
export function requireWord(field: string, word: string, known: readonly string[]): string {
  const key = nameKey(word);
  const meant = known.find((it) => it === word) ?? known.find((it) => nameKey(it) === key);
  if (meant !== undefined) return meant;
  const closest = nearest(word.slice(0, 254), known);
  const problem = `${JSON.stringify(word)} is not one of: ${known.join(", ")}${suggestion(closest)}`;
  const mistake = { field, problem, allowed: known, ...(closest !== undefined && { did_you_mean: closest }) };
  throw new Problem("invalid_request", { fields: [mistake] }, { message: `${field}: ${problem}` });
}

const suggestion = (closest: string | undefined): string =>
  closest === undefined ? "" : `; did you mean ${JSON.stringify(closest)}?`;

const ambiguity = <R extends Resource>(word: string, { candidates }: { readonly candidates: readonly R[] }): string => {
  const listed = shown(candidates).map(({ id, name, ...facts }) => {
    const known = Object.entries(facts).map(([field, value]) => `${field} ${value}`);
    return `${JSON.stringify(name)} (${[...known, `id ${id}`].join(", ")})`;
  });
  const more = candidates.length > listed.length ? ` and ${candidates.length - listed.length} more` : "";
  return `${candidates.length} have the name ${JSON.stringify(word)}: ${listed.join("; ")}${more}. Give the id`;
};

/** Fields that distinguish resources with the same name. */
const distinguishingFields = ["mac", "type", "value", "purpose", "source_type", "source_value"] as const;
const candidatesShown = 20;

function shown(candidates: readonly Resource[]): { id: string; name: string; [fact: string]: string }[] {
  return candidates.slice(0, candidatesShown).map((it) => {
    const fields = it as unknown as Readonly<Record<string, unknown>>;
    const facts = distinguishingFields.flatMap((field) => {
      const value = fields[field];
      return typeof value === "string" && value !== "" ? [[field, value.slice(0, 120)] as const] : [];
    });
    return { id: it.id, name: labelOf(it) ?? "", ...Object.fromEntries(facts) };
  });
}

/** Limit of the names that are compared for a suggestion, because the comparison is expensive. */
const maxCompared = 5000;

const closestName = (searched: Searched<Resource>, word: string): string | undefined =>
  nearest(word.slice(0, 254), namesOf(searched, maxCompared));

const maxOffered = 10;

/** The existing names, if they are few. */
function offer(searched: Searched<Resource>): string {
  const names = namesOf(searched, maxOffered + 1);
  if (names.length === 0) return "; there are none yet";
  return names.length > maxOffered ? "" : `; there are: ${names.join(", ")}`;
}

const namesOf = (searched: Searched<Resource>, max: number): string[] =>
  searched
    .all()
    .slice(0, max)
    .flatMap((it) => labelOf(it) ?? []);

/** `dns_zone` → "DNS zone". */
export const nounOf = (kind: string): string => kind.replaceAll("_", " ").replace(/^dns /, "DNS ");
