import { useToast } from "../ui/toasts.tsx";
import { useAct } from "../api/reading.ts";
import { useWords } from "../i18n/i18n.tsx";

const renewed = ["policyViews", "snapshots", "enforcement", "tunnels"] as const;

/** Publishes the staged changes: permanently, or on trial for this many seconds. */
export function useApply() {
  const say = useWords().staging;
  const toast = useToast();
  const apply = useAct("routing", "apply", {
    renews: renewed,
    onDone: ({ confirm_until }) => toast.done(confirm_until === null ? say.applied : say.onTrial),
  });
  return {
    busy: apply.isPending,
    problem: apply.error,
    run: (seconds?: number) =>
      apply.mutate({ query: seconds === undefined ? {} : { confirm_within: seconds } }, { onError: toast.failed }),
  };
}

/** Default trial: long enough to check the result, short enough to wait for the revert. */
export const usualTrialSec = 120;
