import { hash } from "node:crypto";

/** The canonical JSON of a resource: equal resources have equal bytes, independent of the order of their fields. */
export const canonical = (value: unknown): string => JSON.stringify(value, sortKeys);

function sortKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

export const digestOf = (text: string): string => hash("sha256", text, "hex");

/** The bucket of an id, one of 256 per kind: the digest of a kind is a tree with the buckets as leaves. */
export const bucketOf = (id: string): number => Number.parseInt(digestOf(id).slice(0, 2), 16);
