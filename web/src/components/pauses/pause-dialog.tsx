import type { Pause, PauseType } from "@portcullis/contract/subsystems/pauses";
import { type Body, useAction } from "../../api/queries.ts";
import { rulesOf } from "../../api/rules.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
import { useToast } from "../../ui/toasts.tsx";

/** The harmless ones first. */
const types: readonly PauseType[] = ["filtering", "allow-domain", "block-domain", "protection"];
const minutes = ["5", "15", "30", "60", "240"] as const;

type Request = Body<"pauses", "create">;

/** Whom a pause is for. */
export interface PauseTarget extends Pick<Pause, "source_type" | "source_value"> {
  readonly name: string;
}

/** Starts a pause. Shows the effect first. */
export function PauseDialog({ target, onClose }: { readonly target: PauseTarget; readonly onClose: () => void }) {
  const t = useTranslation().pauses;
  const toast = useToast();
  const { source_type, source_value, name } = target;
  const form = useBody(rulesOf("pauses", "create"), {
    first: { type: "filtering", source_type, source_value, duration_min: 30 },
  });
  const { type = "filtering" } = form.values;
  const create = useAction("pauses", "create", {
    invalidates: ["policyViews", "dns", "status", "audit"],
    onDone: ({ enforced }) => {
      toast.done(enforced ? t.started(t.types[type]) : t.startedUnenforced(t.types[type]));
      onClose();
    },
  });
  const hasDomain = type === "allow-domain" || type === "block-domain";
  return (
    <BodyDialog<Request, "type" | "domain" | "duration_min" | "reason">
      form={form}
      title={t.addFor(name)}
      needs={["pauses", "create"]}
      onClose={onClose}
      onSave={(body) => create.mutate({ body: { ...(body as Request), source_type, source_value } })}
      busy={create.isPending}
      problem={create.error}
      action={t.types[type]}
      fields={["type", hasDomain && "domain", "duration_min", "reason"]}
      texts={{
        type: { label: t.type, hint: t.does[type], options: t.types },
        domain: { label: t.domain, hint: t.domainHint, needed: true },
        duration_min: t.lasts,
        reason: t.reason,
      }}
      options={{
        type: types.map((it) => ({ value: it, label: t.types[it] })),
        duration_min: minutes.map((it) => ({ value: it, label: t.durations[it] })),
      }}
      examples={{ domain: "example.org" }}
    />
  );
}
