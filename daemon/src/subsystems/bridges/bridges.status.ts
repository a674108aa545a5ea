import { because, explained, explainedAs, type Reason } from "@portcullis/contract/reason";
import type { Bridge, BridgeHealth, BridgeProbe } from "@portcullis/contract/subsystems/bridges";

/** The stored part of a bridge, without its observed status. */
export type StagedBridge = Omit<Bridge, "status" | "healthy" | "reason" | "coded_reason">;

/** The observed status of a bridge. */
export type BridgeStatus = Pick<Bridge, "status"> & Omit<BridgeHealth, "id" | "name" | "interface">;

/** The source of the status of bridges. */
export interface BridgeStatusSource {
  /** The last observed status by interface name; undefined if the kernel has no such bridge. */
  readonly seen: (interfaceName: string) => BridgeStatus | undefined;
  /** Checks the bridge now, and probes the target if there is one. */
  readonly probe: (bridge: StagedBridge, target: string | undefined) => Promise<BridgeProbe>;
}

/** One check of a probe. */
export const check = (name: string, passed: boolean, why: Reason): BridgeProbe["checks"][number] => ({
  name,
  passed,
  ...explainedAs("message", why),
});

/** Used while no engine runs. */
export const noBridges: BridgeStatusSource = {
  seen: () => undefined,
  probe: async () => ({
    healthy: false,
    checks: [check("exists", false, because("bridge_absent"))],
  }),
};

/** The status of a bridge, for the resource and the health snapshot. */
export function statusOf(bridge: StagedBridge, { seen }: Pick<BridgeStatusSource, "seen">): BridgeStatus {
  if (!bridge.enabled) return absent(bridge, because("link_disabled"));
  const status = seen(bridge.interface);
  if (!status) return absent(bridge, because("bridge_absent"));
  const missing = bridge.members.filter((name) => !status.members.some((it) => it.interface === name));
  return { ...status, members: [...status.members, ...missing.map(missingPort)] };
}

const missingPort = (name: string) => ({ interface: name, present: false, state: "unknown" as const });

const absent = ({ members }: StagedBridge, reason: Reason): BridgeStatus => ({
  status: "down",
  carrier: false,
  members: members.map(missingPort),
  healthy: false,
  ...explained(reason),
});
