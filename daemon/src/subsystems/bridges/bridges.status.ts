import type { Bridge, BridgeHealth, BridgeProbe } from "@portcullis/contract/subsystems/bridges";

/** What is kept of a bridge; how it is, is a reading. */
export type StagedBridge = Omit<Bridge, "status" | "healthy" | "reason">;

/** A bridge as the kernel has it. */
export type BridgeStatus = Pick<Bridge, "status"> & Omit<BridgeHealth, "id" | "name" | "interface">;

/** What others know of bridges. */
export interface BridgeStatusSource {
  /** What was last seen of the bridge that the kernel calls so; nothing when it has none. */
  readonly seen: (interfaceName: string) => BridgeStatus | undefined;
  /** Looks now, and asks the target, if there is one, whether it answers. */
  readonly probe: (bridge: StagedBridge, target: string | undefined) => Promise<BridgeProbe>;
}

/** Where no engine runs there are no bridges. */
export const noBridges: BridgeStatusSource = {
  seen: () => undefined,
  probe: async () => ({
    healthy: false,
    checks: [{ name: "exists", passed: false, message: "The kernel does not have this bridge" }],
  }),
};

/** How a bridge is, in the words of its page and of the health snapshot. */
export function statusOf(bridge: StagedBridge, { seen }: Pick<BridgeStatusSource, "seen">): BridgeStatus {
  if (!bridge.enabled) return absent(bridge, "It is switched off");
  const sight = seen(bridge.interface);
  if (!sight) return absent(bridge, "The kernel does not have it");
  const missing = bridge.members.filter((name) => !sight.members.some((it) => it.interface === name));
  return { ...sight, members: [...sight.members, ...missing.map(missingPort)] };
}

const missingPort = (name: string) => ({ interface: name, present: false, state: "unknown" as const });

const absent = ({ members }: StagedBridge, reason: string): BridgeStatus => ({
  status: "down",
  carrier: false,
  members: members.map(missingPort),
  healthy: false,
  reason,
});
