import type { SplittingEndpoint } from "@portcullis/contract/subsystems/splitting";

type Weighed = Pick<SplittingEndpoint, "id" | "role" | "enabled" | "weight">;

/** The share of new connections of each member while all of them are up. Cover traffic and disabled endpoints get none. */
export function sharesOf(endpoints: readonly Weighed[]): ReadonlyMap<string, number> {
  const members = endpoints.filter(({ role, enabled }) => role === "member" && enabled);
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  return new Map(members.map(({ id, weight }) => [id, weight / total]));
}
