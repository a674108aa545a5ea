import { clause, explained, type Reason } from "@portcullis/contract/reason";
import { formatMac, parseAddress } from "../net/addresses.ts";
import type { InputOf, ResultOf } from "@portcullis/contract/endpoint";
import type { Finding, Policy, policyViews } from "@portcullis/contract/subsystems/routing";
import { conflicts, contradictionsOf } from "../compiler/policy/conflicts.ts";
import type { Finding as UnnamedFinding } from "../compiler/policy/finding.ts";
import { decide } from "../compiler/policy/decide.ts";
import { exceptionIdOf } from "../compiler/policy/exceptions.ts";
import { evaluate, type Verdict } from "../compiler/policy/evaluate.ts";
import { factsFor } from "../compiler/input/facts.ts";
import type { Intent } from "../compiler/input/intent.ts";
import { inOrder } from "../compiler/input/policy-order.ts";
import { outcomeOf, outgoingInterfaces } from "../compiler/policy/outcome.ts";
import { intentOf, type Resources, type Temporary } from "../compiler/input/read-document.ts";
import { divided, periodsAt } from "../compiler/input/scheduled.ts";
import { requireNamed, searchedIn } from "../subsystems/lookup.ts";
import { scheduleReasons } from "./schedule-reasons.ts";
import { nameOf, type Sources } from "./sources.ts";

type EvaluateInput = InputOf<typeof policyViews.evaluate>["body"];

/** Conflicts of policies, evaluation of a packet, hits, and the fail matrix. */
export function policyAnswers(sources: Sources) {
  const { ledger, network, exceptions, linkStates, observedState, published, hits, now } = sources;
  const staged = (): Resources => ({
    device: ledger.staged<Resources["device"][number]>("device").all(),
    device_group: ledger.staged("device_group").all(),
    privacy_class: ledger.staged<Resources["privacy_class"][number]>("privacy_class").all(),
    trust_class: ledger.staged<Resources["trust_class"][number]>("trust_class").all(),
    routing_policy: ledger.staged<Policy>("routing_policy").all(),
    profile: ledger.staged<Resources["profile"][number]>("profile").all(),
    uplinks: ledger.staged<Resources["uplinks"][number] & { id: string }>("uplinks").all(),
    tunnel: ledger.staged<Resources["tunnel"][number]>("tunnel").all(),
    proxy: ledger.staged<Resources["proxy"][number]>("proxy").all(),
    bridge: ledger.staged<Resources["bridge"][number]>("bridge").all(),
    splitting_endpoint: ledger.staged<Resources["splitting_endpoint"][number]>("splitting_endpoint").all(),
    privacy: ledger.staged<NonNullable<Resources["privacy"]>[number]>("privacy").all(),
    schedule: ledger.staged<NonNullable<Resources["schedule"]>[number]>("schedule").all(),
  });

  return {
    findings: (policies: readonly Policy[]): Finding[] => {
      const intent = intentOf({ ...staged(), routing_policy: policies }, network(), []);
      return conflicts(intent, factsFor(intent, linkStates())).map(withNames(policies));
    },
    /** Staged policies that contradict one policy. */
    contradictions: (id: string): Finding[] => {
      const intent = intentOf(staged(), network(), []);
      const policy = intent.policies.find((it) => it.id === id);
      return policy
        ? contradictionsOf(policy, intent).map(withNames(ledger.staged<Policy>("routing_policy").all()))
        : [];
    },
    evaluate: async (input: EvaluateInput): Promise<ResultOf<typeof policyViews.evaluate>> => {
      const observed = await observedState();
      const resources = input.staged ? staged() : published();
      const at = input.at === undefined ? now() : new Date(input.at);
      const periods = periodsAt(resources, at);
      const active = exceptions();
      const isThere = ({ expires_at }: Temporary) => Date.parse(expires_at) > at.getTime();
      const temporary = input.at === undefined ? active : active.filter(isThere);
      const intent = intentOf(resources, network(), temporary, periods);
      const facts = factsFor(intent, observed, input.hops_up);
      const verdict = evaluate(packetOf(input, intent, resources), decide(intent, facts), intent, facts);
      const result = resultOf(verdict, resources, intent, scheduleReasons(resources, periods));
      return { ...result, revision: input.staged ? null : ledger.revision() };
    },
    hits: async (): Promise<ResultOf<typeof policyViews.hits>> => {
      const counted = await hits();
      const resources = published();
      return inOrder(intentOf(resources, network(), []).policies).map(({ id }) => {
        const { connections = 0, sinceMs = null, lastMs = null } = counted.get(id) ?? {};
        return {
          policy_id: id,
          policy_name: nameOf(id, resources),
          connections,
          since: dateOf(sinceMs),
          last_hit: dateOf(lastMs),
        };
      });
    },
    failMatrix: (): ResultOf<typeof policyViews.failMatrix> => {
      const resources = published();
      const intent = intentOf(resources, network(), []);
      const facts = factsFor(intent, linkStates());
      const periods = periodsAt(resources, now());
      const { waiting } = divided(intent.policies, periods);
      const withSchedule = scheduleReasons(resources, periods);
      return inOrder(intent.policies).map((policy) => ({
        policy_id: policy.id,
        name: nameOf(policy.id, resources),
        fail_policy: policy.failPolicy,
        hops: [...policy.hops],
        ...nowOf(outcomeOf(policy, facts), waiting.includes(policy), (why) => withSchedule(policy.id, why)),
        when_down: whenDown[policy.failPolicy],
      }));
    },
  };
}

function withNames(policies: readonly Policy[]): (finding: UnnamedFinding) => Finding {
  const names = new Map(policies.map(({ id, name }) => [id, name]));
  return (finding) => ({
    ...finding,
    policy_name: names.get(finding.policy_id) ?? finding.policy_id,
    other_name: finding.other_id === null ? null : (names.get(finding.other_id) ?? finding.other_id),
  });
}

const dateOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const whenDown = { "fail-closed": "block", "fail-open": "direct", "fail-over": "next" } as const;

function packetOf(
  { mac, device_id, interface: name, source, destination, domain, protocol, port }: EvaluateInput,
  intent: Intent,
  { device }: Resources,
) {
  const known = device_id === undefined ? undefined : requireNamed(searchedIn(device), "device", device_id);
  const from = source ?? known?.ips[0];
  return {
    interface: name ?? intent.network.lan[0],
    mac: (mac === undefined ? known?.mac : formatMac(mac)) || undefined,
    source: from === undefined ? undefined : parseAddress(from),
    destination: destination === undefined ? undefined : parseAddress(destination),
    domain,
    protocol,
    port,
  };
}

function resultOf(
  { outcome, policyId, exception, control, trace }: Verdict,
  resources: Resources,
  { network }: Intent,
  withSchedule: ReturnType<typeof scheduleReasons>,
): Omit<ResultOf<typeof policyViews.evaluate>, "revision"> {
  return {
    outcome: outcome.kind === "pass" ? "block" : outcome.kind,
    interfaces: outcome.kind === "direct" ? [] : outgoingInterfaces(outcome, network.wan),
    ...explained(withSchedule(policyId, outcome.reason)),
    policy_id: policyId ?? null,
    exception_id: exceptionIdOf(exception),
    control: control ?? null,
    trace: trace.map(({ policyId: id, matched, decided, reason }) => ({
      policy_id: id,
      name: nameOf(id, resources),
      matched,
      decided,
      ...explained(decided || reason.code === "schedule_inactive" ? withSchedule(id, reason) : reason),
    })),
  };
}

function nowOf({ kind, reason }: Verdict["outcome"], isWaiting: boolean, withSchedule: (why: Reason) => Reason) {
  const why = withSchedule(reason);
  return { now: `${isWaiting ? "waits" : kind}: ${clause(why)}`, ...explained(why) };
}
