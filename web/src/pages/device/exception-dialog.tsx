import type { Device } from "@portcullis/contract/subsystems/devices";
import type { ExceptionType } from "@portcullis/contract/subsystems/exceptions";
import { useState } from "react";
import { SelectField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { State } from "../../ui/state.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

const types: readonly ExceptionType[] = [
  "temporary-direct",
  "captive-portal",
  "service-allowlist",
  "quarantine",
  "diagnostic-bypass",
  "emergency-bypass",
];
const minutes = ["15", "60", "240", "1440"] as const;
/** The other types apply to every destination. */
const leadsSomewhere: ReadonlySet<ExceptionType> = new Set(["captive-portal", "service-allowlist"]);

/** Starts a temporary bypass or quarantine. Shows the effect first. */
export function ExceptionDialog({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) {
  const t = useTranslation().device.exceptions;
  const toast = useToast();
  const [type, setType] = useState<ExceptionType>("temporary-direct");
  const [lasts, setLasts] = useState<string>("60");
  const [reason, setReason] = useState("");
  const [destinations, setDestinations] = useState("");
  const create = useAction("exceptions", "create", {
    invalidates: ["policyViews", "audit"],
    onDone: ({ enforced }) => {
      toast.done(enforced ? t.started(t.types[type]) : t.startedUnenforced(t.types[type]));
      onClose();
    },
  });
  const save = () =>
    create.mutate({
      body: {
        type,
        device_id: device.id,
        duration_min: Number(lasts),
        reason,
        ...(leadsSomewhere.has(type) && { destinations: destinations.split(/[\s,;]+/).filter(Boolean) }),
      },
    });
  const isOut = type !== "quarantine";
  return (
    <FormDialog
      needs={["exceptions", "create"]}
      title={t.addFor(device.name)}
      onClose={onClose}
      onSave={save}
      busy={create.isPending}
      problem={create.error}
      action={t.actions[type]}
    >
      <SelectField
        label={t.type}
        hint={t.does[type]}
        name="type"
        value={type}
        onChange={setType}
        options={types.map((it) => ({ value: it, label: t.types[it] }))}
      />
      <p>
        <State state={isOut ? "direct" : "blocked"} text={isOut ? t.inTheClear : t.cutOff} />
      </p>
      {leadsSomewhere.has(type) && (
        <TextField
          label={t.destinations}
          hint={t.destinationsHint}
          name="destinations"
          value={destinations}
          onChange={setDestinations}
          placeholder="203.0.113.0/24, 2001:db8::1"
        />
      )}
      <SelectField
        label={t.lasts}
        name="duration_min"
        value={lasts}
        onChange={setLasts}
        options={minutes.map((it) => ({ value: it, label: t.durations[it] }))}
      />
      <TextField label={t.reason} name="reason" value={reason} onChange={setReason} optional />
    </FormDialog>
  );
}
