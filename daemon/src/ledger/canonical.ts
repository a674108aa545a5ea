import { hash } from "node:crypto";

/** The one text of a resource: equal resources have equal bytes, whatever order their fields came in. */
export const canonical = (value: unknown): string => JSON.stringify(value, sortKeys);

function sortKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

export const digestOf = (text: string): string => hash("sha256", text, "hex");

/** Which of a kind's 256 buckets an id falls into: the digest of a kind is a tree with these as leaves. */
export const bucketOf = (id: string): number => Number.parseInt(digestOf(id).slice(0, 2), 16);
