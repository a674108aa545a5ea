import type { System } from "../../../system/system.ts";
import { type Attempted, attemptsIn } from "./attempts.parse.ts";
import type { AttemptSet } from "./attempts.render.ts";
import { guardTable } from "../guard/guard.render.ts";
import { steeringTable } from "./transaction.render.ts";

export type AttemptKind =
  | "blocked"
  | "dropped"
  | "foreign-resolver"
  | "encrypted-dns"
  | "stun"
  | "ipv6"
  | "forged-sender";

export interface Attempt extends Attempted {
  readonly kind: AttemptKind;
}

const sets: Readonly<Record<AttemptKind, { readonly table: string; readonly set: AttemptSet | "tried_leave" }>> = {
  blocked: { table: steeringTable, set: "tried_blocked" },
  dropped: { table: guardTable, set: "tried_leave" },
  "foreign-resolver": { table: steeringTable, set: "tried_resolver" },
  "encrypted-dns": { table: steeringTable, set: "tried_encrypted" },
  stun: { table: steeringTable, set: "tried_stun" },
  ipv6: { table: steeringTable, set: "tried_ipv6" },
  "forged-sender": { table: steeringTable, set: "tried_forged" },
};

/** What devices tried within the last day, by the kernel's own count. Before the first load nothing was counted. */
export async function attemptsNow(system: System): Promise<readonly Attempt[]> {
  const all: Attempt[] = [];
  for (const [kind, { table, set }] of Object.entries(sets) as [AttemptKind, (typeof sets)[AttemptKind]][]) {
    const json = await system.run("nft", ["-j", "list", "set", ...table.split(" "), set]).catch(() => "{}");
    all.push(...attemptsIn(json).map((it) => ({ kind, ...it })));
  }
  return all;
}
