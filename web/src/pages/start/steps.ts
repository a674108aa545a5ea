export const steps = ["account", "network", "tunnel", "filters", "classes", "proof"] as const;
export type Step = (typeof steps)[number];

/** The step to show: the account comes first; after that, the last one visited. */
export function stepFrom(requested: string, kept: string | null, hasAccount: boolean): Step {
  if (!hasAccount) return "account";
  const wanted = [requested, kept].find((it): it is Step => it !== null && (steps as readonly string[]).includes(it));
  return wanted === undefined || wanted === "account" ? "network" : wanted;
}

export const next = (step: Step): Step => steps[Math.min(steps.indexOf(step) + 1, steps.length - 1)]!;
export const before = (step: Step): Step => steps[Math.max(steps.indexOf(step) - 1, 1)]!;
