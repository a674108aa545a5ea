import { explained } from "@portcullis/contract/reason";
import type { InputOf, ResultOf } from "@portcullis/contract/endpoint";
import type { enforcement } from "@portcullis/contract/subsystems/enforcement";
import { allocateAll, compile, neededAllocations } from "../compiler/compile.ts";
import { type Decisions, failoverExhausted, local, tunnelRequired, unmatched } from "../compiler/policy/decide.ts";
import { specialOutcome } from "../compiler/policy/evaluate.ts";
import { factsFor } from "../compiler/input/facts.ts";
import type { Network } from "../compiler/input/intent.ts";
import { egressNumber, type KernelIds, planName } from "../compiler/egress/kernel-ids.ts";
import { type Outcome, outgoingInterfaces } from "../compiler/policy/outcome.ts";
import { intentOf } from "../compiler/input/read-document.ts";
import { periodReader } from "../compiler/input/scheduled.ts";
import { egressName } from "../compiler/egress/egresses.ts";
import { routeLine, ruleLine } from "../engines/iproute/iproute.diff.ts";
import { tableOf } from "../engines/iproute/iproute.model.ts";
import { guardTable, renderGuard } from "../engines/nftables/guard/guard.render.ts";
import { decidedMark, hex, valid } from "../engines/nftables/marks.model.ts";
import { renderScans } from "../engines/nftables/scans/scans.render.ts";
import { protecting } from "../engines/nftables/sources/sources.model.ts";
import { renderSetChanges } from "../engines/nftables/sources/sources.render.ts";
import { differenceOf } from "../engines/nftables/steering/steering.diff.ts";
import { renderRedirect } from "../engines/nftables/redirect/redirect.render.ts";
import { steering } from "../engines/nftables/steering/steering.render.ts";
import { renderTransactions } from "../engines/nftables/steering/transaction.render.ts";
import { previewAllocation } from "../ledger/allocations.ts";
import { pageByNumber } from "../subsystems/resources.ts";
import type { Sources } from "./sources.ts";

type Rule = ResultOf<typeof enforcement.rules>["items"][number];

/** Compiles what is published and observed now, without allocating numbers, and shows what the engines should have. */
export function compiledAnswers({ ledger, network, exceptions, observedState, published, now, sinceBootMs }: Sources) {
  async function compiled() {
    const revision = ledger.revision();
    const resources = published();
    const periods = periodReader()(resources, { wallMs: now().getTime(), sinceBootMs: sinceBootMs() });
    const intent = intentOf(resources, network(), exceptions(), periods);
    const facts = factsFor(intent, await observedState());
    const needed = neededAllocations({ intent, facts, resources });
    const allocations = allocateAll(needed, (pool, names) => previewAllocation(ledger.database, pool, names));
    return { revision, resources, intent, ...compile({ intent, facts, resources, neighbours: [], allocations }) };
  }

  return {
    render: async (): Promise<ResultOf<typeof enforcement.render>> => {
      const { revision, desired } = await compiled();
      const { guard, protection, iproute, redirect, steering: ruleset, sysctl, scans } = desired;
      const first = steering(ruleset, 1);
      const nothing = { sets: [], chains: [] };
      const loads = renderTransactions(first, differenceOf(undefined, first), nothing, now().getTime());
      return {
        revision,
        nftables: [
          renderGuard(guard),
          renderSetChanges(guardTable, protecting(protection, new Map())),
          renderRedirect(redirect),
          ...loads,
          renderScans(scans),
        ].join(""),
        rules: iproute.rules.map((it) => `ip -${it.family} rule add ${ruleLine(it)}`),
        routes: iproute.routes.map((it) => `ip -${it.family} route add ${routeLine(it)}`),
        sysctl: { ...sysctl },
      };
    },
    rules: async (query: InputOf<typeof enforcement.rules>["query"]): Promise<ResultOf<typeof enforcement.rules>> => {
      const { resources, intent, decisions, kernelIds } = await compiled();
      const names = new Map(resources.routing_policy.map(({ id, name }) => [id, name]));
      const rows = [
        ...policyRules(decisions, kernelIds, intent.network, names),
        ...specialRules(kernelIds, intent.network),
      ];
      return pageByNumber(rows, ({ rank }) => rank, query);
    },
  };
}

const policyRules = (
  { ranked }: Decisions,
  kernelIds: KernelIds,
  network: Network,
  names: ReadonlyMap<string, string>,
): Rule[] =>
  ranked.map(({ rank, policy, outcome }) => ({
    rank,
    policy_id: policy.id,
    name: names.get(policy.id) ?? policy.id,
    source_type: policy.sourceType,
    source_value: policy.sourceValue,
    ...egressFields(kernelIds.plans.get(planName(policy)) ?? 0, outcome, kernelIds, network),
  }));

const specialRules = (kernelIds: KernelIds, network: Network): Rule[] =>
  [
    ...(network.lan.length > 1 ? [{ rank: local, name: "local" }] : []),
    { rank: failoverExhausted, name: "failover_exhausted" },
    { rank: tunnelRequired, name: "tunnel_required" },
    { rank: unmatched, name: "unmatched" },
  ].map(({ rank, name }) => ({
    rank,
    policy_id: null,
    name,
    source_type: null,
    source_value: "",
    ...egressFields(kernelIds.plans.get(name) ?? 0, specialOutcome(rank, { network }), kernelIds, network),
  }));

function egressFields(plan: number, outcome: Outcome, kernelIds: KernelIds, network: Network) {
  const egress = egressNumber(egressName(outcome, network), kernelIds);
  const leaves = outcome.kind === "egress" || outcome.kind === "direct";
  return {
    plan,
    egress,
    mark: outcome.kind === "split" ? null : hex(valid | decidedMark(plan, egress)),
    table: leaves ? tableOf(egress) : null,
    interfaces: outgoingInterfaces(outcome, network.wan),
    outcome: outcome.kind === "pass" ? ("next" as const) : outcome.kind,
    ...explained(outcome.reason),
  };
}
