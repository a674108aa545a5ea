import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";

/** A device's row of the leak matrix. */
interface Row {
  readonly name: string;
  readonly device_id: string | null;
  readonly now: "protected" | "blocked" | "exposed";
  readonly cells: readonly { readonly scenario: string; readonly posture: "protected" | "blocked" | "exposed" }[];
}

/** Devices that lose protection or access when a tunnel is down. */
export interface Consequences {
  readonly blocked: readonly string[];
  readonly exposed: readonly string[];
}

/** Policies may name a tunnel by its name or its id; the matrix has its target. */
export function consequencesOf(rows: readonly Row[], words: readonly string[]): Consequences {
  const scenarios = new Set(words.map((word) => `${word} down`));
  const after = (row: Row) => row.cells.find(({ scenario }) => scenarios.has(scenario))?.posture;
  const losing = rows.filter(({ now, device_id }) => now === "protected" && device_id !== null);
  return {
    blocked: losing.filter((row) => after(row) === "blocked").map(({ name }) => name),
    exposed: losing.filter((row) => after(row) === "exposed").map(({ name }) => name),
  };
}

export type Uses = ReadonlyMap<string, readonly TunnelEgress[]>;

/** Tunnel → the policies that use it. */
export function usesOf(egress: readonly TunnelEgress[]): Uses {
  const found = new Map<string, TunnelEgress[]>();
  for (const policy of egress)
    for (const id of new Set(policy.hops.map(({ tunnel_id }) => tunnel_id)))
      if (id !== null) found.set(id, [...(found.get(id) ?? []), policy]);
  return found;
}
