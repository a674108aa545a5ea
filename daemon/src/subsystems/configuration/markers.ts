import { isStoredSecret } from "@portcullis/contract/declarable";

type Path = readonly (string | number)[];

/** Where a value has `{secret: stored}`. */
export function markersIn(value: unknown, path: Path = []): Path[] {
  if (isStoredSecret(value)) return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) => markersIn(inner, [...path, field]));
}

/** Without `{secret: stored}`: for a service, a secret that is not given stays as it is. */
export function withoutMarkers<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutMarkers) as T;
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, inner]) => !isStoredSecret(inner));
  return Object.fromEntries(kept.map(([field, inner]) => [field, withoutMarkers(inner)])) as T;
}

/** For people: in a plan. */
export function secretsShown(value: unknown): unknown {
  if (isStoredSecret(value)) return "(secret)";
  if (Array.isArray(value)) return value.map(secretsShown);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, secretsShown(inner)]));
}

export const hasMarker = (value: unknown, path: Path): boolean =>
  isStoredSecret(path.reduce<unknown>((it, step) => (it as Record<string, unknown> | undefined)?.[step], value));
