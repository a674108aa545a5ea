import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { useState } from "react";
import { useEvents } from "../../api/live.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** Runs a leak check for one device or all, and reports the result as a toast. */
export function useLeakCheck(onDone?: (check: LeakCheck) => void) {
  const t = useTranslation().privacy.check;
  const toast = useToast();
  const [progress, setProgress] = useState<string>();
  useEvents(({ event, data }) => {
    if (event === "leak.progress") setProgress(t.progress(Number(data["checked"]), Number(data["devices"])));
  });
  const act = useAction("privacy", "leakCheck", {
    invalidates: ["policyViews", "audit"],
    onDone: (check) => {
      const { verdict, discarded } = check;
      if (discarded) toast.done(t.doneDiscarded);
      // Stays until it is dismissed.
      else if (verdict === "leaking") toast.failed(new Error(t.done.leaking));
      else toast.done(t.done[verdict]);
      onDone?.(check);
    },
  });
  return {
    busy: act.isPending,
    /** How much of a check of many devices is done, while it runs. */
    progress: act.isPending ? progress : undefined,
    run: (device?: string) => {
      setProgress(undefined);
      act.mutate({ body: device === undefined ? {} : { device_id: device } }, { onError: toast.failed });
    },
  };
}
