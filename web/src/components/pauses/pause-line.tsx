import type { Pause } from "@portcullis/contract/subsystems/pauses";
import { Fragment } from "react";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { Button } from "../../ui/button.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { Remaining } from "../remaining.tsx";

/** "DNS filtering is paused for Children". */
export function usePauseText(): (pause: Pause) => string {
  const t = useTranslation().pauses;
  return ({ type, source_type, source_name, source_value, domain }) =>
    t.now[type](source_type === "everyone" ? t.everyone : source_name || source_value, domain ?? "");
}

/** What is paused, and for how long. */
export function PauseText({ pause }: { readonly pause: Pause }) {
  const t = useTranslation().pauses;
  const text = usePauseText();
  return (
    <>
      <strong>{text(pause)}</strong> <Remaining until={pause.expires_at} />
      {pause.unpaused_total > 0 && (
        <span className="quiet fine wrap">
          {" · "}
          {t.unpaused(pause.unpaused_total)}
          {pause.unpaused.slice(0, maxNamed).map(({ device_id, name, obstacle }, index) => (
            <Fragment key={device_id}>{`${index > 0 ? ", " : ""}${name} (${t.obstacles[obstacle]})`}</Fragment>
          ))}
          {pause.unpaused_total > maxNamed && " …"}
        </span>
      )}
    </>
  );
}

const maxNamed = 3;

export function ResumeButton({ pause }: { readonly pause: Pause }) {
  const t = useTranslation().pauses;
  const toast = useToast();
  const end = useAction("pauses", "remove", {
    invalidates: ["policyViews", "dns", "status", "audit"],
    onDone: () => toast.done(t.resumed),
  });
  return (
    <Button
      needs={["pauses", "remove"]}
      busy={end.isPending}
      onPress={() => end.mutate({ params: { id: pause.id } }, { onError: toast.failed })}
    >
      {t.resume}
    </Button>
  );
}
