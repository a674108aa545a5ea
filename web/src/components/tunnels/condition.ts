import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import type { StateName } from "../../ui/state.tsx";

/** The label of its condition: switched off is not the same as failed. */
export type ConditionWord = "up" | "degraded" | "connecting" | "failed" | "off" | "idle";

type Known = Pick<Tunnel, "status" | "enabled">;

export const isUp = ({ status }: Pick<Tunnel, "status">): boolean => status === "up" || status === "degraded";

/** While a tunnel is down, zero loss only means that no probe was sent. */
export const lossOf = (tunnel: Pick<Tunnel, "status" | "loss">): number | null =>
  isUp(tunnel) || (tunnel.loss ?? 0) > 0 ? tunnel.loss : null;

export function conditionOf({ status, enabled }: Known): ConditionWord {
  if (status !== "down") return status;
  return enabled ? "idle" : "off";
}

/** A tunnel that is not up counts as blocked, whether by choice or by fault: nothing passes. */
export const stateOfTunnel = (tunnel: Known): StateName => states[conditionOf(tunnel)];

const states: Readonly<Record<ConditionWord, StateName>> = {
  up: "protected",
  degraded: "protected",
  connecting: "unknown",
  failed: "blocked",
  off: "blocked",
  idle: "unknown",
};
