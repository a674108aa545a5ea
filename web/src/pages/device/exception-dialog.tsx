import type { Device } from "@portcullis/contract/subsystems/devices";
import { type Body, useAction } from "../../api/queries.ts";
import { rulesOf } from "../../api/rules.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
import { State } from "../../ui/state.tsx";
import { useToast } from "../../ui/toasts.tsx";

/** The harmless ones first. */
const types = [
  "temporary-direct",
  "captive-portal",
  "service-allowlist",
  "quarantine",
  "diagnostic-bypass",
  "emergency-bypass",
] as const;
const minutes = ["15", "60", "240", "1440"] as const;

type Request = Body<"exceptions", "create">;

/** Starts a temporary bypass or quarantine. Shows the effect first. */
export function ExceptionDialog({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) {
  const t = useTranslation().device.exceptions;
  const toast = useToast();
  const form = useBody(rulesOf("exceptions", "create"), {
    first: { type: "temporary-direct", device_id: device.id, duration_min: 60 },
  });
  const { type = "temporary-direct" } = form.values;
  const create = useAction("exceptions", "create", {
    invalidates: ["policyViews", "audit"],
    onDone: ({ enforced }) => {
      toast.done(enforced ? t.started(t.types[type]) : t.startedUnenforced(t.types[type]));
      onClose();
    },
  });
  const isOut = type !== "quarantine";
  // The other types apply to every destination.
  const hasDestinations = type === "captive-portal" || type === "service-allowlist";
  return (
    <BodyDialog<Request, "type" | "destinations" | "duration_min" | "reason">
      form={form}
      title={t.addFor(device.name)}
      needs={["exceptions", "create"]}
      onClose={onClose}
      onSave={(body) => create.mutate({ body: body as Request })}
      busy={create.isPending}
      problem={create.error}
      action={t.actions[type]}
      fields={[
        "type",
        <p key="effect">
          <State state={isOut ? "direct" : "blocked"} text={isOut ? t.inTheClear : t.cutOff} />
        </p>,
        hasDestinations && "destinations",
        "duration_min",
        "reason",
      ]}
      texts={{
        type: { label: t.type, hint: t.does[type], options: t.types },
        destinations: { label: t.destinations, hint: t.destinationsHint, needed: true },
        duration_min: t.lasts,
        reason: t.reason,
      }}
      options={{
        type: types.map((it) => ({ value: it, label: t.types[it] })),
        duration_min: minutes.map((it) => ({ value: it, label: t.durations[it] })),
      }}
      examples={{ destinations: "203.0.113.0/24" }}
    />
  );
}
