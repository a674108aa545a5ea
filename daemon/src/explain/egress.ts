import { explained } from "@portcullis/contract/reason";
import type { TunnelCondition, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { conflicts } from "../compiler/policy/conflicts.ts";
import { factsFor } from "../compiler/input/facts.ts";
import type { Intent, IntentPolicy } from "../compiler/input/intent.ts";
import { inOrder } from "../compiler/input/policy-order.ts";
import { outcomeOf, outgoingInterfaces } from "../compiler/policy/outcome.ts";
import type { Finding } from "../compiler/policy/finding.ts";
import { intentAt, type Sources } from "./sources.ts";

/** Which tunnel each policy that is in force uses now. */
export function egressAnswers({ network, observedState, published, condition, now }: Sources) {
  return {
    egress: async (): Promise<TunnelEgress[]> => {
      const resources = published();
      const intent = intentAt(resources, network(), [], now());
      const facts = factsFor(intent, await observedState());
      const ordered = inOrder(intent.policies);
      const shadows = shadowsIn(conflicts({ ...intent, policies: ordered.map(withoutSchedule) }, facts), ordered);
      const names = new Map(resources.routing_policy.map(({ id, name }) => [id, name]));
      return ordered.map((policy) => {
        const outcome = outcomeOf(policy, facts);
        const [leaves] = outgoingInterfaces(outcome, intent.network.wan);
        const used = intent.tunnels.find((it) => it.interface === leaves);
        return {
          policy_id: policy.id,
          policy: names.get(policy.id) ?? policy.id,
          outcome: outcomeNames[outcome.kind],
          hops: policy.hops.map((hop) => hopOf(hop, intent, condition)),
          tunnel_id: used?.id ?? null,
          tunnel: used?.name ?? null,
          interface: leaves ?? null,
          ...explained(outcome.reason),
          shadowed_by: shadows.get(policy.id) ?? null,
        };
      });
    },
  };
}

/** What is in force now shadows others now, whatever its schedule. */
function withoutSchedule(policy: IntentPolicy): IntentPolicy {
  const { scheduleId, ...rest } = policy;
  return scheduleId === undefined ? policy : rest;
}

/** Policy → the first of the policies before it that leave it nothing to match. */
function shadowsIn(findings: readonly Finding[], ordered: readonly { readonly id: string }[]): Map<string, string> {
  const position = new Map(ordered.map(({ id }, index) => [id, index]));
  const first = new Map<string, string>();
  for (const { kind, policy_id, other_id } of findings) {
    if ((kind !== "shadowed" && kind !== "duplicate") || other_id === null) continue;
    const known = first.get(policy_id);
    if (known === undefined || position.get(other_id)! < position.get(known)!) first.set(policy_id, other_id);
  }
  return first;
}

/** Outcomes of policies, as the API names them. */
export const outcomeNames = {
  egress: "egress",
  split: "split",
  direct: "direct",
  block: "block",
  local: "block",
  pass: "next",
} as const;

export type PolicyOutcome = (typeof outcomeNames)[keyof typeof outcomeNames];

function hopOf(
  { type, target }: Intent["policies"][number]["hops"][number],
  { tunnels }: Intent,
  condition: (id: string) => TunnelCondition,
): TunnelEgress["hops"][number] {
  const tunnel = type === "vpn" ? tunnels.find((it) => it.id === target || it.name === target) : undefined;
  return { type, target, tunnel_id: tunnel?.id ?? null, status: tunnel ? condition(tunnel.id).status : null };
}
