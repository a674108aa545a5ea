import { because, explained, type Reason } from "@portcullis/contract/reason";
import type { PublishedVlan, Vlan } from "@portcullis/contract/subsystems/vlans";

export type VlanStatus = Pick<Vlan, "status" | "reason" | "coded_reason">;

/** The source of the status of VLANs. */
export interface VlanStatusSource {
  /** The last observed status by interface name; undefined if the gateway did not look at such a VLAN yet. */
  readonly seen: (interfaceName: string) => VlanStatus | undefined;
  /** Reads the kernel's VLANs again. */
  readonly refresh: () => Promise<void>;
}

/** Used while no engine runs. */
export const noVlans: VlanStatusSource = {
  seen: () => ({ status: "down", ...explained(because("dataplane_off")) }),
  refresh: async () => {},
};

/** The status of a VLAN. `uplinks` are the interfaces of uplinks. */
export function statusOf(
  { interface: name, role, enabled }: PublishedVlan,
  { seen }: VlanStatusSource,
  uplinks: readonly string[],
): VlanStatus {
  const unusable = (status: "down" | "failed", reason: Reason): VlanStatus => ({ status, ...explained(reason) });
  if (!enabled) return unusable("down", because("link_disabled"));
  // The bootstrap file may have been edited since.
  if (role === "lan" && uplinks.includes(name))
    return unusable("failed", because("vlan_is_uplink", { interface: name }));
  return seen(name) ?? unusable("down", because("vlan_absent"));
}
