import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import type { StateName } from "../../ui/state.tsx";

/** Which word stands for its condition: one that is switched off is not one that fails to run. */
export type ConditionWord = "up" | "degraded" | "connecting" | "failed" | "off" | "idle";

type Known = Pick<Tunnel, "status" | "enabled">;

export const carries = ({ status }: Pick<Tunnel, "status">): boolean => status === "up" || status === "degraded";

/** Of a tunnel that is down, "none lost" only means that none was sent. */
export const lossOf = (tunnel: Pick<Tunnel, "status" | "loss">): number | null =>
  carries(tunnel) || (tunnel.loss ?? 0) > 0 ? tunnel.loss : null;

export function conditionOf({ status, enabled }: Known): ConditionWord {
  if (status !== "down") return status;
  return enabled ? "idle" : "off";
}

/** A tunnel that does not carry is blocked, whether by choice or by fault: nothing passes. */
export const stateOfTunnel = (tunnel: Known): StateName => states[conditionOf(tunnel)];

const states: Readonly<Record<ConditionWord, StateName>> = {
  up: "protected",
  degraded: "protected",
  connecting: "unknown",
  failed: "blocked",
  off: "blocked",
  idle: "unknown",
};
