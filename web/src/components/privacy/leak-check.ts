import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { useToast } from "../../ui/toasts.tsx";
import { useAct } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";

/** Runs a leak check for one device or all, and reports the result as a toast. */
export function useLeakCheck(onDone?: (check: LeakCheck) => void) {
  const say = useWords().privacy.check;
  const toast = useToast();
  const act = useAct("privacy", "leakCheck", {
    renews: ["policyViews", "audit"],
    onDone: (check) => {
      const { verdict, discarded } = check;
      if (discarded) toast.done(say.doneDiscarded);
      // Stays until it is dismissed.
      else if (verdict === "leaking") toast.failed(new Error(say.done.leaking));
      else toast.done(say.done[verdict]);
      onDone?.(check);
    },
  });
  return {
    busy: act.isPending,
    run: (device?: string) =>
      act.mutate({ body: device === undefined ? {} : { device_id: device } }, { onError: toast.failed }),
  };
}
