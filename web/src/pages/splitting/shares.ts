import type { SplittingEndpoint } from "@portcullis/contract/subsystems/splitting";

type Weighed = Pick<SplittingEndpoint, "id" | "role" | "enabled" | "weight">;

/** The share of new connections of each member while all of them are up. Cover traffic and disabled endpoints get none. */
export function sharesOf(endpoints: readonly Weighed[]): ReadonlyMap<string, number> {
  const members = endpoints.filter(({ role, enabled }) => role === "member" && enabled);
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  return new Map(members.map(({ id, weight }) => [id, weight / total]));
}

export interface EndpointFields {
  readonly tunnelId: string;
  readonly role: SplittingEndpoint["role"];
  readonly name: string;
  readonly weight: string;
  readonly target: string;
  readonly rate: string;
  readonly enabled: boolean;
}

export const fieldsOf = (endpoint: SplittingEndpoint | undefined): EndpointFields => ({
  tunnelId: endpoint?.tunnel_id ?? "",
  role: endpoint?.role ?? "member",
  name: endpoint?.name ?? "",
  weight: String(endpoint?.weight ?? 1),
  target: endpoint?.target ?? "",
  rate: String(endpoint?.bytes_per_second ?? 1024),
  enabled: endpoint?.enabled ?? true,
});

/** Only the fields of its role: a member has no target, and cover traffic no weight. */
export function bodyOf({ tunnelId, role, name, weight, target, rate, enabled }: EndpointFields) {
  return {
    tunnel_id: tunnelId,
    role,
    name: name.trim() === "" ? null : name.trim(),
    enabled,
    ...(role === "member"
      ? { weight: Number(weight), target: null }
      : { target: target.trim() === "" ? null : target.trim(), bytes_per_second: Number(rate) }),
  };
}
