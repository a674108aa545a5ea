import { Button } from "../ui/button.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAct } from "../api/reading.ts";
import { useWords } from "../i18n/i18n.tsx";

const renews = ["routing", "snapshots", "policyViews", "tunnels", "devices", "audit"] as const;

/** The two ends of a trial. */
export function KeepOrUndo() {
  const say = useWords().frame.pending;
  const toast = useToast();
  const keep = useAct("changes", "confirm", { renews, onDone: () => toast.done(say.kept) });
  const undo = useAct("changes", "revert", { renews, onDone: () => toast.done(say.undone) });
  return (
    <>
      <Button
        needs={["changes", "revert"]}
        busy={undo.isPending}
        onPress={() => undo.mutate({}, { onError: toast.failed })}
      >
        {say.undo}
      </Button>
      <Button
        kind="main"
        needs={["changes", "confirm"]}
        busy={keep.isPending}
        onPress={() => keep.mutate({}, { onError: toast.failed })}
      >
        {say.keep}
      </Button>
    </>
  );
}
