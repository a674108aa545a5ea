import type { Hop } from "@portcullis/contract/subsystems/routing";

/** through: via the tunnel, blocked if it fails. direct: in the clear. blocked: no access. */
export type Treatment = "through" | "direct" | "blocked";

/** Protected like the known devices if possible; otherwise direct, until the user chooses to block. */
export const unknownByDefault = (hasTunnel: boolean): Treatment => (hasTunnel ? "through" : "direct");

export interface Choice {
  readonly tunnel: string;
  readonly known: Treatment;
  readonly unknown: Treatment;
}

export interface PlannedPolicy {
  readonly name: string;
  readonly source_type: "all" | "device_group";
  readonly source_value: string;
  readonly priority: number;
  readonly hops: Hop[];
  readonly fail_policy: "fail-closed" | "fail-open";
}

interface Names {
  readonly everyone: string;
  readonly known: string;
  readonly unknown: string;
  readonly group: string;
}

/**
 * The smallest set of policies. A policy without hops is blocked or direct by its fail policy; the one for unknown
 * devices matches all, so it comes last.
 */
export function policiesFor({ tunnel, known, unknown }: Choice, names: Names): PlannedPolicy[] {
  const sent = (treatment: Treatment) =>
    ({
      hops: treatment === "through" ? [{ type: "vpn" as const, target: tunnel }] : [],
      fail_policy: treatment === "direct" ? "fail-open" : "fail-closed",
    }) as const;
  const all = { source_type: "all", source_value: "", priority: 1000 } as const;
  if (known === unknown) return [{ name: names.everyone, ...all, ...sent(known) }];
  return [
    { name: names.known, source_type: "device_group", source_value: names.group, priority: 900, ...sent(known) },
    { name: names.unknown, ...all, ...sent(unknown) },
  ];
}
