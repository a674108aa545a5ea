import { type Effect, effect, inSubsystem } from "./effect.ts";

/** Settings of alert rules. */
export const alertEffects: readonly Effect[] = [
  effect(
    "alerts",
    "enabled muted_until muted_resources",
    inSubsystem("alerts/alerts.service"),
    "a disabled rule and a muted one raise nothing",
  ),
  effect(
    "alerts",
    "severity threshold window_sec",
    inSubsystem("alerts/alerts.service"),
    "the threshold counts occurrences of one cause within the window",
  ),
  effect(
    "alerts",
    "cooldown_sec",
    inSubsystem("alerts/alerts.service"),
    "during the cooldown a cause makes its alert active again",
  ),
];
