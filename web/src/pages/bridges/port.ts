import type { Bridge, BridgeHealth } from "@portcullis/contract/subsystems/bridges";
import type { StateName } from "../../ui/state.tsx";

type Member = BridgeHealth["members"][number];
export type PortWord = Member["state"] | "missing";

/** A port that the machine does not have is missing, whatever state is reported. */
export const portWord = ({ present, state }: Member): PortWord => (present ? state : "missing");

export function portState(member: Member): StateName {
  const word = portWord(member);
  if (word === "forwarding") return "protected";
  return word === "learning" || word === "listening" || word === "unknown" ? "unknown" : "blocked";
}

export type BridgeWord = "up" | "degraded" | "idle" | "failed" | "off";

/** A bridge that is up but degraded has a port that does not forward or has no link. */
export function bridgeWord({ enabled, status, healthy }: Pick<Bridge, "enabled" | "status" | "healthy">): BridgeWord {
  if (!enabled) return "off";
  if (status === "up") return healthy ? "up" : "degraded";
  return status === "failed" ? "failed" : "idle";
}

export const bridgeStates: Readonly<Record<BridgeWord, StateName>> = {
  up: "protected",
  degraded: "unknown",
  idle: "unknown",
  failed: "blocked",
  off: "blocked",
};
