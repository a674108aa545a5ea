import { useQuery } from "@tanstack/react-query";
import { Button } from "../ui/button.tsx";
import { Glyph } from "../ui/state.tsx";
import { useNow } from "../ui/time.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useFallbackInterval } from "../api/live.tsx";
import { apiQuery, useAction } from "../api/queries.ts";
import { useMay } from "../api/session.tsx";
import { affectedByEnforcement, useConfirmEnforcement } from "../components/confirm-enforcement.ts";
import { useFormat, useTranslation } from "../i18n/i18n.tsx";
import { useReason } from "../i18n/reason.ts";

/** Shown on every page while nothing is enforced, or while the first enforcement waits for confirmation. */
export function EnforcementNotice() {
  const may = useMay();
  const { shell } = useTranslation();
  const why = useReason();
  const settled = useFallbackInterval(60_000);
  const shown = useQuery({
    ...apiQuery("firstEnforcement", "show"),
    enabled: may(["firstEnforcement", "show"]),
    refetchInterval: ({ state: { data } }) => (data?.state === "confirmed" || data?.state === "off" ? settled : 3000),
  });
  const { state, deadline = null, message = "", coded_message = null } = shown.data ?? {};
  if (state === "provisional" && deadline !== null) return <Provisional deadline={deadline} />;
  if (message === "") return null;
  return (
    <section className="problem bad row" role="alert" aria-label={shell.enforcement.title}>
      <Glyph state="leaking" />
      <span className="grow wrap">{why.sentence({ reason: message, coded_reason: coded_message })}</span>
      {state === "reverted" && <Again />}
    </section>
  );
}

/** Like a change on trial: a user who can press the button is not locked out. */
function Provisional({ deadline }: { readonly deadline: string }) {
  const t = useTranslation().shell.enforcement;
  const toast = useToast();
  const [now, format] = [useNow(), useFormat()];
  const left = Math.max(0, (new Date(deadline).getTime() - now.getTime()) / 1000);
  const confirm = useConfirmEnforcement(() => toast.done(t.confirmed));
  const revert = useAction("firstEnforcement", "revert", {
    invalidates: affectedByEnforcement,
    onDone: () => toast.done(t.reverted),
  });
  return (
    <section className="problem row" role="alert" aria-label={t.title}>
      <span className="grow wrap">
        <strong>{t.provisional}</strong> <span className="quiet">{t.left(format.countdown(left))}</span>
      </span>
      <Button
        needs={["firstEnforcement", "revert"]}
        busy={revert.isPending}
        onPress={() => revert.mutate({}, { onError: toast.failed })}
      >
        {t.revert}
      </Button>
      <Button
        kind="main"
        needs={["firstEnforcement", "confirm"]}
        busy={confirm.isPending}
        onPress={() => confirm.mutate({}, { onError: toast.failed })}
      >
        {t.confirm}
      </Button>
    </section>
  );
}

function Again() {
  const t = useTranslation().shell.enforcement;
  const toast = useToast();
  const start = useAction("firstEnforcement", "start", { invalidates: affectedByEnforcement });
  return (
    <Button
      needs={["firstEnforcement", "start"]}
      busy={start.isPending}
      onPress={() => start.mutate({}, { onError: toast.failed })}
    >
      {t.start}
    </Button>
  );
}
