import { because, explainedAs, type Reason } from "@portcullis/contract/reason";
import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type { Hop, Policy, Profile, ShownPolicy } from "@portcullis/contract/subsystems/routing";
import type {
  CoverStats,
  splitting,
  SplittingEndpoint,
  SplittingResolver,
  SplittingStatus,
  SplittingTransport,
} from "@portcullis/contract/subsystems/splitting";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Resource } from "../../ledger/collection.ts";
import { resolve } from "../resources.ts";
import { shownPolicy } from "../shown-policies.ts";
import type { SplittingStatusSource } from "./splitting.status.ts";

interface Needs {
  readonly ledger: Ledger;
  /** Stages a policy whose connections are spread over these hops. */
  readonly stage: (cause: Cause, policyId: string, hops: Hop[]) => Policy;
  /** Publishes the staged changes; resolves with whether all of it is in force. */
  readonly apply: (cause: Cause) => Promise<boolean>;
  readonly statusSource: SplittingStatusSource;
  readonly now: () => Date;
}

interface Tunnel extends Resource {
  readonly name: string;
  readonly type: string;
  readonly interface: string;
}
type Member = SplittingStatus["policies"][number]["members"][number];

export type Splitting = ReturnType<typeof splittingService>;

/** Splitting: new connections of a policy are spread over several tunnels; and optional padding. */
export function splittingService({ ledger, stage, apply, statusSource, now }: Needs) {
  const pool = ledger.staged<SplittingEndpoint>("splitting_endpoint");
  const tunnels = ledger.staged<Tunnel>("tunnel");
  const enabled = (role: SplittingEndpoint["role"]) => pool.all().filter((it) => it.enabled && it.role === role);
  const shown = shownPolicy(ledger, now);
  const tunnelName = (id: string): string => tunnels.get(id)?.name ?? id;

  /** The published policies with splitting: staged changes have no effect yet. */
  function splits(): { policy: Policy; hops: readonly Hop[] }[] {
    const published = ledger.releases.document(ledger.revision());
    const profiles = new Map((published["profile"] as Profile[]).map((it) => [it.id, it]));
    return (published["routing_policy"] as Policy[])
      .filter((policy) => policy.enabled && shown(policy).schedule?.active !== false)
      .flatMap((policy) => {
        const { splitting: splits, hops } = (policy.profile_id && profiles.get(policy.profile_id)) || policy;
        const vpn = hops.filter(({ type }) => type === "vpn");
        return splits && vpn.length > 1 ? [{ policy, hops: vpn }] : [];
      });
  }
  const named = (target: string): Tunnel | undefined =>
    tunnels.get(target) ?? tunnels.all().find(({ name }) => name === target);

  function member({ target }: Hop): Omit<Member, "share"> {
    const tunnel = named(target);
    if (!tunnel) return { tunnel_id: null, tunnel: target, weight: 1, healthy: statusSource.linkUp(target) };
    const { status, connections } = statusSource.tunnel(tunnel.id);
    return {
      tunnel_id: tunnel.id,
      tunnel: tunnel.name,
      weight: enabled("member").find(({ tunnel_id }) => tunnel_id === tunnel.id)?.weight ?? 1,
      healthy: status === "up" || status === "degraded",
      ...(connections !== undefined && { connections }),
    };
  }

  /** The tunnels of the pool, and those of splits outside of it. */
  function paths(): Tunnel[] {
    const inUse = splits().flatMap(({ hops }) => hops.flatMap(({ target }) => named(target)?.id ?? []));
    const ids = new Set([...pool.all().map(({ tunnel_id }) => tunnel_id), ...inUse]);
    return tunnels.all().filter(({ id }) => ids.has(id));
  }

  return {
    status: (): SplittingStatus => {
      const policies = splits().map(({ policy, hops }) => ({
        policy_id: policy.id,
        name: policy.name,
        members: shared(hops.map(member)),
      }));
      return {
        active: policies.length > 0,
        policies,
        members: enabled("member").length,
        covers: enabled("cover").length,
      };
    },
    transport: (): SplittingTransport[] =>
      paths().map(({ id, name, type, interface: link }) => {
        const { connections: _, ...status } = statusSource.tunnel(id);
        return { tunnel_id: id, tunnel: name, interface: link, type, ...status };
      }),
    dnsStatus: (): SplittingResolver[] =>
      paths().map(({ id, name }) => ({ tunnel_id: id, tunnel: name, ...statusSource.resolver(id) })),
    coverStats: (): CoverStats[] =>
      pool
        .all()
        .filter(({ role }) => role === "cover")
        .map(({ id, tunnel_id, target, enabled: on, bytes_per_second }) => ({
          endpoint_id: id,
          tunnel: tunnelName(tunnel_id),
          target,
          enabled: on,
          bytes_per_second,
          ...statusSource.cover(id),
        })),
    activate: async (
      cause: Cause,
      { policy_id, apply: applies = false }: InputOf<typeof splitting.activate>["body"],
    ) => {
      const collection = ledger.staged<Policy>("routing_policy");
      const id = resolve(collection, "policy_id", policy_id);
      const members = enabled("member");
      refuseFew(members);
      refuseProfile(collection.get(id)!);
      const policy = stage(
        cause,
        id,
        members.map(({ tunnel_id }) => ({ type: "vpn", target: tunnelName(tunnel_id) })),
      );
      const isEnforced = applies && (await apply(cause));
      const shownNow = shown(policy);
      return {
        policy: shownNow,
        members,
        staged: true as const,
        applied: applies,
        ...explainedAs("message", activationMessage(applies, isEnforced, shownNow.schedule)),
      };
    },
  };
}

/** New connections are distributed by weight over the healthy members. */
function shared(members: readonly Omit<Member, "share">[]): Member[] {
  const total = members.reduce((sum, { healthy, weight }) => sum + (healthy ? weight : 0), 0);
  return members.map((it) => ({ ...it, share: it.healthy ? it.weight / total : 0 }));
}

const minMembers = 2;
const maxHops = 16;

function refuseFew({ length }: readonly SplittingEndpoint[]): void {
  if (length < minMembers)
    throw new Problem(
      "conflict",
      { members: length, needed: minMembers },
      {
        message: "Splitting needs at least two enabled members; the pool has fewer",
      },
    );
  if (length > maxHops) throw new Problem("limit_reached", { limit: maxHops, of: "members of one policy" });
}

/** A profile is shared with other policies, which must not change. */
function refuseProfile({ profile_id }: Policy): void {
  if (profile_id !== null)
    throw new Problem(
      "conflict",
      { profile_id },
      { message: "This policy has its hops from a profile; remove the profile from it, or change the profile" },
    );
}

function activationMessage(applied: boolean, enforced: boolean, schedule: ShownPolicy["schedule"]): Reason {
  if (!applied) return because("split_staged");
  if (enforced && schedule?.active === false && schedule.next_change_at !== null)
    return because("schedule_waits", { schedule: schedule.name, until: schedule.next_change_at });
  return because(enforced ? "split_in_force" : "split_published");
}
