import { Button } from "../ui/button.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../api/queries.ts";
import { useTranslation } from "../i18n/i18n.tsx";

const invalidates = ["routing", "snapshots", "policyViews", "tunnels", "devices", "audit"] as const;

/** The two ends of a trial. */
export function KeepOrUndo() {
  const t = useTranslation().shell.pending;
  const toast = useToast();
  const keep = useAction("changes", "confirm", { invalidates, onDone: () => toast.done(t.kept) });
  const undo = useAction("changes", "revert", { invalidates, onDone: () => toast.done(t.undone) });
  return (
    <>
      <Button
        needs={["changes", "revert"]}
        busy={undo.isPending}
        onPress={() => undo.mutate({}, { onError: toast.failed })}
      >
        {t.undo}
      </Button>
      <Button
        kind="main"
        needs={["changes", "confirm"]}
        busy={keep.isPending}
        onPress={() => keep.mutate({}, { onError: toast.failed })}
      >
        {t.keep}
      </Button>
    </>
  );
}
