import type { Bridge, BridgeHealth, BridgeProbe } from "@portcullis/contract/subsystems/bridges";

/** The stored part of a bridge, without its observed status. */
export type StagedBridge = Omit<Bridge, "status" | "healthy" | "reason">;

/** The observed status of a bridge. */
export type BridgeStatus = Pick<Bridge, "status"> & Omit<BridgeHealth, "id" | "name" | "interface">;

/** The source of the status of bridges. */
export interface BridgeStatusSource {
  /** The last observed status by interface name; undefined if the kernel has no such bridge. */
  readonly seen: (interfaceName: string) => BridgeStatus | undefined;
  /** Checks the bridge now, and probes the target if there is one. */
  readonly probe: (bridge: StagedBridge, target: string | undefined) => Promise<BridgeProbe>;
}

/** Used while no engine runs. */
export const noBridges: BridgeStatusSource = {
  seen: () => undefined,
  probe: async () => ({
    healthy: false,
    checks: [{ name: "exists", passed: false, message: "The kernel does not have this bridge" }],
  }),
};

/** The status of a bridge, for the resource and the health snapshot. */
export function statusOf(bridge: StagedBridge, { seen }: Pick<BridgeStatusSource, "seen">): BridgeStatus {
  if (!bridge.enabled) return absent(bridge, "It is disabled");
  const status = seen(bridge.interface);
  if (!status) return absent(bridge, "The kernel does not have it");
  const missing = bridge.members.filter((name) => !status.members.some((it) => it.interface === name));
  return { ...status, members: [...status.members, ...missing.map(missingPort)] };
}

const missingPort = (name: string) => ({ interface: name, present: false, state: "unknown" as const });

const absent = ({ members }: StagedBridge, reason: string): BridgeStatus => ({
  status: "down",
  carrier: false,
  members: members.map(missingPort),
  healthy: false,
  reason,
});
