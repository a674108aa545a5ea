import type { Postures } from "@portcullis/contract/subsystems/routing";
import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import type { StateName } from "../../ui/state.tsx";

type Posture = Pick<Postures["devices"][number], "device_id" | "posture" | "policy_id">;

/** How a device stands now, and the names of the hops it takes, or would take if they were up. */
export interface Standing {
  readonly state: StateName;
  readonly hops: readonly string[];
}

export const unknownStanding: Standing = { state: "unknown", hops: [] };

/** What a policy does with the devices it decides for. */
interface Way {
  readonly hops: readonly string[];
}

/**
 * Each device's standing by its id. Devices of one policy share one object: there are fewer policies than devices.
 * `found` are those of which the last leak check says that they leak, whatever was meant.
 */
export function standingsOf(
  postures: readonly Posture[],
  ways: ReadonlyMap<string, Way>,
  found: ReadonlySet<string> = new Set(),
): Map<string, Standing> {
  const shared = new Map<string, Standing>();
  const standing = (it: Posture): Standing => {
    const leaks = found.has(it.device_id);
    const key = `${it.posture} ${it.policy_id} ${leaks}`;
    const meant = () => standingOf(it, it.policy_id === null ? undefined : ways.get(it.policy_id));
    const known = shared.get(key) ?? (leaks ? { ...meant(), state: "leaking" as const } : meant());
    shared.set(key, known);
    return known;
  };
  return new Map(postures.map((it) => [it.device_id, standing(it)]));
}

/** Direct by an exception, by a policy of the uplink, by none at all, or because its policy allows it while hops are down. */
export function standingOf({ posture }: Pick<Posture, "posture">, way: Way | undefined): Standing {
  if (posture !== "exposed") return { state: posture, hops: way?.hops ?? [] };
  return { state: "direct", hops: [] };
}

/** What each policy does, by its id. */
export function waysOf(
  tunnels: readonly Pick<Tunnel, "id" | "name">[],
  egress: readonly Pick<TunnelEgress, "policy_id" | "outcome" | "hops">[],
): Map<string, Way> {
  const names = new Map(tunnels.map(({ id, name }) => [id, name]));
  return new Map(
    egress.map(({ policy_id, outcome, hops }) => {
      const named = hops.map(({ tunnel_id, target }) => names.get(tunnel_id ?? target) ?? target);
      // New connections are spread over them: they are no path from one to the next.
      const told = outcome === "split" ? [named.join(" + ")] : named;
      return [policy_id, { hops: told }];
    }),
  );
}
