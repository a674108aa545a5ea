import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";

export interface Exit {
  readonly key: string;
  readonly rows: readonly TunnelEgress[];
}

const order = ["direct", "block", "next", "split", "egress"];

/** Policies with the same hops and outcome share one exit. Exits with problems come first. */
export function groupByExit(rows: readonly TunnelEgress[]): Exit[] {
  const exits = new Map<string, TunnelEgress[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.outcome, row.hops.map(({ type, target }) => [type, target])]);
    exits.set(key, [...(exits.get(key) ?? []), row]);
  }
  return [...exits].map(([key, taken]) => ({ key, rows: taken })).toSorted((a, b) => weight(a) - weight(b));
}

const weight = ({ rows: [first] }: Exit): number => order.indexOf(first!.outcome) + (first!.hops.length === 0 ? 10 : 0);
