import type { Explained } from "@portcullis/contract/reason";
import type { Difference } from "@portcullis/contract/subsystems/history";
import type { Finding, Policy, PolicyHits, ShownPolicy } from "@portcullis/contract/subsystems/routing";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import type { StateName } from "../../ui/state.tsx";
import { isFallback, stateOf } from "../../components/outcomes.ts";
import { inOrder } from "./order.ts";
import { reasonIn } from "../../i18n/reason.ts";

/** A conflict of a policy, from its own side. */
export interface Clash {
  readonly kind: "contradiction" | "shadowed" | "shadows" | "duplicate" | "duplicated" | "dangling" | "exposed";
  /** Names of the policies it conflicts with. */
  readonly others: readonly string[];
  readonly message: Explained;
}

type ListedPolicy = Policy & Partial<Pick<ShownPolicy, "schedule">>;

export interface PolicyRow {
  readonly policy: ListedPolicy;
  /** The current state: off and new ones have none yet, waiting ones none now, unused ones never match. */
  readonly doing: StateName | "off" | "new" | "waiting" | "next" | "unused";
  /** The policy that matches first, for one that is not used now. */
  readonly shadowedBy: string | undefined;
  /** The staged position at which it would be used: that of the first policy that shadows it. */
  readonly moveAbove: { readonly name: string; readonly index: number } | undefined;
  readonly reason: Explained | undefined;
  /** Its tunnel is down, and it uses the direct connection meanwhile. */
  readonly isFallback: boolean;
  /** The applied hops, of its profile too. */
  readonly through: readonly string[];
  readonly staged: "added" | "changed" | undefined;
  readonly clashes: readonly Clash[];
  readonly hits: PolicyHits | undefined;
}

interface Known {
  readonly policies: readonly ListedPolicy[];
  readonly egress: readonly TunnelEgress[];
  readonly findings: readonly Finding[];
  readonly staged: readonly Difference[];
  readonly hits: readonly PolicyHits[];
}

/** Policies in order of evaluation, each with its state and findings. */
export function rowsOf({ policies, egress, findings, staged, hits }: Known): PolicyRow[] {
  const doing = new Map(egress.map((it) => [it.policy_id, it]));
  const counted = new Map(hits.map((it) => [it.policy_id, it]));
  const names = new Map(policies.map(({ id, name }) => [id, name]));
  const waiting = new Map(
    staged.filter(({ kind }) => kind === "routing_policy").map(({ id, change }) => [id, change] as const),
  );
  const clashes = clashesOf(findings, names);
  const ordered = inOrder(policies);
  const above = shadowingOf(findings, ordered);
  return ordered.map((policy) => {
    const now = doing.get(policy.id);
    const change = waiting.get(policy.id);
    return {
      policy,
      doing: doingOf(policy, now),
      shadowedBy: now?.shadowed_by == null ? undefined : (names.get(now.shadowed_by) ?? now.shadowed_by),
      moveAbove: above.get(policy.id),
      reason: now && { reason: now.reason, coded_reason: now.coded_reason },
      isFallback: now !== undefined && isFallback(now),
      through: (now?.hops ?? policy.hops).map(({ target }) => target),
      staged: change === "removed" ? undefined : change,
      clashes: clashes.get(policy.id) ?? [],
      hits: counted.get(policy.id),
    };
  });
}

function doingOf({ enabled, schedule }: ListedPolicy, now: TunnelEgress | undefined): PolicyRow["doing"] {
  if (now?.shadowed_by != null) return "unused";
  if (now) return now.outcome === "next" ? "next" : stateOf(now.outcome, now.hops);
  if (!enabled) return "off";
  return schedule?.active === false ? "waiting" : "new";
}

/** Policy → the first policy that shadows it, in list order. */
function shadowingOf(findings: readonly Finding[], ordered: readonly Policy[]) {
  const indexes = new Map(ordered.map(({ id }, index) => [id, index]));
  const first = new Map<string, { readonly name: string; readonly index: number }>();
  for (const { kind, policy_id, other_id } of findings) {
    const index = kind === "shadowed" && other_id !== null ? indexes.get(other_id) : undefined;
    if (index !== undefined && index < (first.get(policy_id)?.index ?? Infinity))
      first.set(policy_id, { name: ordered[index]!.name, index });
  }
  return first;
}

const fromOtherSide = { contradiction: "contradiction", shadowed: "shadows", duplicate: "duplicated" } as const;

/** A finding concerns two policies and is listed at both. A wide policy may shadow hundreds: they are one conflict of it. */
function clashesOf(findings: readonly Finding[], names: ReadonlyMap<string, string>): Map<string, Clash[]> {
  const all = new Map<string, Map<string, { kind: Clash["kind"]; others: Set<string>; message: Explained }>>();
  const add = (id: string, kind: Clash["kind"], other: string | null, message: Explained) => {
    const own = all.get(id) ?? new Map();
    all.set(id, own);
    const key = `${kind} ${message.reason}`;
    const known = own.get(key) ?? { kind, others: new Set(), message };
    own.set(key, known);
    if (other !== null) known.others.add(names.get(other) ?? other);
  };
  for (const finding of findings) {
    const { kind, policy_id, other_id } = finding;
    const message = reasonIn("message", finding);
    add(policy_id, kind, other_id, message);
    if (other_id !== null && kind !== "dangling" && kind !== "exposed")
      add(other_id, fromOtherSide[kind], policy_id, message);
  }
  return new Map(
    [...all].map(([id, own]) => [id, [...own.values()].map((clash) => ({ ...clash, others: [...clash.others] }))]),
  );
}
