import type { Postures } from "@portcullis/contract/subsystems/routing";
import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import type { StateName } from "../../ui/state.tsx";

type Posture = Pick<Postures["devices"][number], "device_id" | "posture" | "policy_id">;

/** The current state of a device, and the names of the hops it uses, or would use if they were up. */
export interface DeviceState {
  readonly state: StateName;
  readonly hops: readonly string[];
}

export const unknownDeviceState: DeviceState = { state: "unknown", hops: [] };

/** The hops of a policy. */
interface PolicyPath {
  readonly hops: readonly string[];
}

/**
 * The state of each device by its id. Devices of one policy share one object: there are fewer policies than devices.
 * `found`: the devices that the last leak check found leaking, whatever their policies are. `enforced`: whether the policies are;
 * undefined: not known.
 */
export function deviceStatesOf(
  postures: readonly Posture[],
  paths: ReadonlyMap<string, PolicyPath>,
  found: ReadonlySet<string>,
  enforced: boolean | undefined,
): Map<string, DeviceState> {
  const shared = new Map<string, DeviceState>();
  const deviceState = (it: Posture): DeviceState => {
    const leaks = found.has(it.device_id);
    if (!enforced && !leaks) return unknownDeviceState;
    const key = `${it.posture} ${it.policy_id} ${leaks}`;
    const meant = () => deviceStateOf(it, it.policy_id === null ? undefined : paths.get(it.policy_id));
    const known = shared.get(key) ?? (leaks ? { ...meant(), state: "leaking" as const } : meant());
    shared.set(key, known);
    return known;
  };
  return new Map(postures.map((it) => [it.device_id, deviceState(it)]));
}

/** Direct by an exception, by a policy for the uplink, without a policy, or because its policy allows it while hops are down. */
export function deviceStateOf({ posture }: Pick<Posture, "posture">, path: PolicyPath | undefined): DeviceState {
  if (posture !== "exposed") return { state: posture, hops: path?.hops ?? [] };
  return { state: "direct", hops: [] };
}

/** The path of each policy, by its id. */
export function policyPathsOf(
  tunnels: readonly Pick<Tunnel, "id" | "name">[],
  egress: readonly Pick<TunnelEgress, "policy_id" | "outcome" | "hops">[],
): Map<string, PolicyPath> {
  const names = new Map(tunnels.map(({ id, name }) => [id, name]));
  return new Map(
    egress.map(({ policy_id, outcome, hops }) => {
      const named = hops.map(({ tunnel_id, target }) => names.get(tunnel_id ?? target) ?? target);
      // New connections are spread over them: the hops are no chain.
      const hopNames = outcome === "split" ? [named.join(" + ")] : named;
      return [policy_id, { hops: hopNames }];
    }),
  );
}
