import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../api/queries.ts";
import { useTranslation } from "../i18n/i18n.tsx";

const invalidated = ["policyViews", "snapshots", "enforcement", "tunnels"] as const;

/** Publishes the staged changes: permanently, or on trial for this many seconds. */
export function useApply() {
  const t = useTranslation().staging;
  const toast = useToast();
  const apply = useAction("routing", "apply", {
    invalidates: invalidated,
    onDone: ({ confirm_until }) => toast.done(confirm_until === null ? t.applied : t.onTrial),
  });
  return {
    busy: apply.isPending,
    problem: apply.error,
    // Callbacks of `mutate` are not called once their component is gone, such as that of a popover that closes itself.
    run: (seconds?: number) =>
      void apply
        .mutateAsync({ query: seconds === undefined ? {} : { confirm_within: seconds } })
        .catch((problem: Error) => toast.failed(problem)),
  };
}

/** Default trial: long enough to check the result, short enough to wait for the revert. */
export const defaultTrialSec = 120;
