import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import {
  type Finding,
  type Policy,
  type routing,
  scheduledSourceTypes,
  type SourceType,
} from "@portcullis/contract/subsystems/routing";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import {
  found,
  given,
  newId,
  pageOf,
  refuseField,
  refuseFull,
  refuseTaken,
  resolve,
  resolveOptional,
} from "../resources.ts";
import { refuseInvalidHops, normalizeSource } from "./source.ts";

type CreateBody = InputOf<typeof routing.create>["body"];
type UpdateBody = InputOf<typeof routing.update>["body"];
type ListQuery = InputOf<typeof routing.list>["query"];

interface Needs {
  readonly ledger: Ledger;
  /** The findings of the compiler about these policies. */
  readonly findings: (policies: readonly Policy[]) => Finding[];
  /** The contradictions of one policy. */
  readonly contradictions: (id: string) => Finding[];
}

export type Routing = ReturnType<typeof routingService>;

/** Routing policies. They are staged; only an apply publishes them. */
export function routingService({ ledger, findings, contradictions }: Needs) {
  const collection = ledger.staged<Policy>("routing_policy");
  const named = {
    device: (word: string) => resolve(ledger.staged("device"), "source_value", word),
    group: (word: string) => resolve(ledger.staged("device_group"), "source_value", word),
  };

  function normalize(policy: Policy): Policy {
    if (policy.profile_id !== null && policy.hops.length > 0)
      throw new Problem("invalid_request", {
        fields: [{ field: "body.hops", problem: "and profile_id exclude each other" }],
      });
    if (policy.schedule_id && !scheduledSourceTypes.includes(policy.source_type)) refuseSchedule(policy.source_type);
    return { ...policy, source_value: normalizeSource(policy.source_type, policy.source_value, named) };
  }
  const resolved = (body: UpdateBody) => {
    refuseInvalidHops(body.hops);
    return given({
      ...body,
      profile_id: resolveOptional(ledger.staged("profile"), "profile_id", body.profile_id),
      schedule_id: resolveOptional(ledger.staged("schedule"), "schedule_id", body.schedule_id),
    });
  };

  function put(cause: Cause, wanted: Policy): Policy {
    const policy = normalize(wanted);
    ledger.change(cause, (draft) => {
      refuseTaken(collection, "routing policy", "name", policy.name, policy.id);
      draft.put("routing_policy", policy);
      // An attempt checks all policies at its end: until then one may contradict another that changes too.
      if (!ledger.attempting()) refuseContradictions(contradictions(policy.id), collection.all());
    });
    return policy;
  }

  /** The findings about the staged policies; contradictions are refused. */
  function check(): Finding[] {
    const all = findings(collection.all());
    refuseContradictions(all, collection.all());
    return all;
  }

  return {
    list: (query: ListQuery) => {
      const wanted = given({ source_type: query.source_type, enabled: query.enabled });
      const narrowed = Object.keys(wanted).length > 0;
      const matches = (policy: Policy) =>
        Object.entries(wanted).every(([field, value]) => policy[field as keyof Policy] === value);
      return pageOf(collection, query, narrowed ? matches : undefined);
    },
    get: (id: string): Policy => found(collection, "routing policy", id),
    create: (cause: Cause, body: CreateBody): Policy => {
      refuseFull(collection, "routing policies");
      return put(cause, { ...blank, ...resolved(body), name: body.name, source_type: body.source_type, id: newId() });
    },
    update: (cause: Cause, id: string, body: UpdateBody): Policy =>
      put(cause, { ...found(collection, "routing policy", id), ...resolved(body) }),
    remove: (cause: Cause, id: string): void => {
      found(collection, "routing policy", id);
      ledger.change(cause, (draft) => draft.remove("routing_policy", id));
    },
    toggle: (cause: Cause, id: string, enabled: boolean | undefined): Policy => {
      const policy = found(collection, "routing policy", id);
      return put(cause, { ...policy, enabled: enabled ?? !policy.enabled });
    },
    check,
    /** Publishes the staged changes; contradictions prevent it, other findings are in the response. */
    apply: (cause: Cause, confirmWithinSec: number | undefined): { published: number; findings: Finding[] } => {
      const all = check();
      return { published: ledger.releases.apply(cause, confirmWithinSec), findings: all };
    },
  };
}

const blank = {
  source_value: "",
  priority: 100,
  enabled: true,
  hops: [],
  fail_policy: "fail-closed",
  splitting: false,
  profile_id: null,
  schedule_id: null,
} as const satisfies Partial<Policy>;

/** Its addresses are learned only while it is in force: at its beginning nothing could block them until the daemon has acted. */
function refuseSchedule(type: SourceType): never {
  return refuseField(
    "schedule_id",
    `a policy for a ${type} cannot have a schedule; source types that may have one: ${scheduledSourceTypes.join(", ")}`,
  );
}

/** The problem names both policies and a priority that would resolve the conflict. */
function refuseContradictions(findings: readonly Finding[], policies: readonly Policy[]): void {
  const contradictions = findings.filter(({ kind }) => kind === "contradiction");
  const [first] = contradictions;
  if (!first) return;
  const priority = policies.find(({ id }) => id === first.policy_id)?.priority ?? 0;
  const free = freePriorities(priority, new Set(policies.map((policy) => policy.priority)));
  const [policy, other] = [first.policy_name, first.other_name].map((name) => JSON.stringify(name));
  throw new Problem(
    "policy_conflict",
    { conflicts: contradictions.slice(0, 20), free_priorities: free },
    {
      message: `The policies ${policy} and ${other} apply to the same traffic at priority ${priority} with different results; give one of them another priority, such as ${free.join(" or ")}`,
    },
  );
}

/** The nearest unused priorities below and above. */
function freePriorities(from: number, taken: ReadonlySet<number>): number[] {
  const first = (step: 1 | -1): number[] => {
    let priority = from;
    while (taken.has(priority)) priority += step;
    return priority >= 0 && priority <= maxPriority ? [priority] : [];
  };
  return [...first(-1), ...first(1)];
}
const maxPriority = 1_000_000;
