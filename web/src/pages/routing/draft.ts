import { specificity } from "@portcullis/contract/policy-order";
import {
  type Hop,
  type Policy,
  type Profile,
  scheduledSourceTypes,
  type SourceType,
} from "@portcullis/contract/subsystems/routing";
import type { StateName } from "../../ui/state.tsx";
import type { RibbonHop } from "../../components/ribbon.tsx";
import { inOrder } from "./order.ts";

/** `next` is not offered: it is the route of a policy without hops that fails over. */
export type Route = "hops" | "direct" | "blocked" | "profile" | "next";

/** The path fields that policies and profiles share. */
export interface PathDraft {
  readonly hops: readonly Hop[];
  readonly splitting: boolean;
  readonly fail_policy: Policy["fail_policy"];
}

/** A policy in the editor. Text stays text until it is sent: the gateway validates it. */
export interface Draft extends PathDraft {
  readonly name: string;
  readonly source_type: SourceType;
  readonly source_value: string;
  readonly route: Route;
  readonly profile_id: string;
  /** Empty: it always applies. */
  readonly schedule_id: string;
  /** Empty: derived from its source. */
  readonly priority: string;
  readonly enabled: boolean;
}

export const blankDraft: Draft = {
  name: "",
  source_type: "device",
  source_value: "",
  route: "hops",
  hops: [],
  splitting: false,
  fail_policy: "fail-closed",
  profile_id: "",
  schedule_id: "",
  priority: "",
  enabled: true,
};

/** A new policy with this tunnel as its first hop. */
export const draftThrough = (tunnel: string): Draft =>
  tunnel === "" ? blankDraft : { ...blankDraft, hops: [{ type: "vpn", target: tunnel }] };

/**
 * Before the first wider policy and after all equally narrow ones: a policy for a device behind one for all devices would
 * never match. Among equal priorities the narrower is evaluated first, so a free position always exists.
 */
export function priorityFor(type: SourceType, policies: readonly Policy[]): number {
  const ordered = inOrder(policies);
  const isWider = (policy: Policy) => specificity.indexOf(policy.source_type) > specificity.indexOf(type);
  const index = ordered.findIndex(isWider);
  const wider = ordered[index];
  const before = (wider ? ordered[index - 1] : ordered.at(-1))?.priority;
  if (!wider) return Math.min((before ?? 0) + 10, 1_000_000);
  return Math.max(before ?? 0, wider.priority - 10);
}

export const draftOf = ({ profile_id, hops, priority, ...policy }: Policy): Draft => ({
  name: policy.name,
  source_type: policy.source_type,
  source_value: policy.source_value,
  fail_policy: policy.fail_policy,
  splitting: policy.splitting,
  enabled: policy.enabled,
  hops,
  route: profile_id !== null ? "profile" : hops.length > 0 ? "hops" : withoutHops[policy.fail_policy],
  profile_id: profile_id ?? "",
  schedule_id: policy.schedule_id ?? "",
  priority: String(priority),
});

/** A policy without hops behaves as if its hops were down. */
const withoutHops = { "fail-open": "direct", "fail-closed": "blocked", "fail-over": "next" } as const;
const failing = { direct: "fail-open", blocked: "fail-closed", next: "fail-over" } as const;

/** The fail policy, or the fixed one of a route without hops. */
export const failPolicyOf = ({ route, fail_policy }: Draft): Policy["fail_policy"] =>
  route === "hops" || route === "profile" ? fail_policy : failing[route];

/** Only the selected route is sent: hops that were entered before are dropped with a profile. */
export function bodyOf(draft: Draft, suggested: { readonly name: string; readonly priority: number }) {
  const { route, name, hops, splitting, profile_id, schedule_id, priority, source_type, source_value, ...rest } = draft;
  return {
    ...rest,
    name: name.trim() || suggested.name,
    fail_policy: failPolicyOf(draft),
    source_type,
    source_value: source_type === "all" ? "" : source_value.trim(),
    priority: priority.trim() === "" ? suggested.priority : Number(priority),
    hops: route === "hops" ? [...hops] : [],
    splitting: route === "hops" && canSplit(hops) && splitting,
    profile_id: route === "profile" && profile_id !== "" ? profile_id : null,
    schedule_id: canWait(source_type) && schedule_id !== "" ? schedule_id : null,
  };
}

/** Whether a policy with this source may have a schedule. */
export const canWait = (type: SourceType): boolean => scheduledSourceTypes.includes(type);

/** Only two or more tunnels can be split over. */
export const canSplit = (hops: readonly Hop[]): boolean => hops.length > 1 && hops.every(({ type }) => type === "vpn");

/** Whether it can be sent; missing parts show in the sentence. */
export const isWhole = ({ source_type, source_value, route, hops, profile_id }: Draft): boolean =>
  (source_type === "all" || source_value.trim() !== "") &&
  (route !== "hops" || hops.length > 0) &&
  (route !== "profile" || profile_id !== "");

/** Names are unique and have this maximum length. */
const longest = 120;

export function nameFor(who: string, through: readonly string[], taken: ReadonlySet<string>): string {
  const name = [who, ...through].join(" → ").slice(0, longest - 6);
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}

/** The effective hops: its own, or its profile's. */
export function pathOf({ route, profile_id, ...own }: Draft, profiles: readonly Profile[]): PathDraft {
  if (route === "hops") return own;
  const profile = route === "profile" ? profiles.find(({ id }) => id === profile_id) : undefined;
  return profile ?? { ...own, hops: [], fail_policy: failPolicyOf({ route, profile_id, ...own }) };
}

/** The outcome with the current state of its hops. */
export function stateNow(hops: readonly RibbonHop[], { splitting, fail_policy }: PathDraft): StateName {
  if (hops.length === 0)
    return ({ "fail-open": "direct", "fail-closed": "blocked", "fail-over": "unknown" } as const)[fail_policy];
  const isDown = ({ state }: RibbonHop) => state === "down";
  if (splitting ? hops.every(isDown) : hops.some(isDown))
    return fail_policy === "fail-open" ? "direct" : fail_policy === "fail-over" ? "unknown" : "blocked";
  return hops.some(({ state }) => state === "unknown") ? "unknown" : "protected";
}

/** The list with one item moved. */
export const swapped = <T>(list: readonly T[], from: number, to: number): T[] => {
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(Math.max(0, Math.min(to, rest.length)), 0, list[from]!);
};
