import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { useState } from "react";
import { SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { isUp } from "../../components/tunnels/condition.ts";

interface EditProps {
  readonly tunnel: Tunnel;
  readonly policies: readonly TunnelEgress[];
  readonly onClose: () => void;
}

/** The settings of the gateway; the others come from the imported file. */
export function EditDialog({ tunnel, policies, onClose }: EditProps) {
  const t = useTranslation().tunnels;
  const toast = useToast();
  const format = useFormat();
  const [name, setName] = useState(tunnel.name);
  const [mtu, setMtu] = useState(tunnel.mtu === null ? "" : String(tunnel.mtu));
  const [target, setTarget] = useState(tunnel.probe_target ?? "");
  const [enabled, setEnabled] = useState(tunnel.enabled);
  const update = useAction("tunnels", "update", {
    invalidates: ["policyViews"],
    onDone: () => {
      toast.done(t.saved(name));
      onClose();
    },
  });
  const submit = () =>
    update.mutate({
      params: { id: tunnel.id },
      body: {
        // An unchanged name is not sent: policies may refer to it, and a rename is checked.
        ...(name.trim() !== tunnel.name && { name: name.trim() }),
        mtu: mtu.trim() === "" ? null : Number(mtu),
        probe_target: target.trim() === "" ? null : target.trim(),
        enabled,
      },
    });
  return (
    <FormDialog
      title={t.editTitle(tunnel.name)}
      onClose={onClose}
      onSave={submit}
      busy={update.isPending}
      problem={update.error}
      needs={["tunnels", "update"]}
    >
      <TextField label={t.name} name="name" value={name} onChange={setName} autoFocus />
      <div className="tunnels-two">
        <TextField
          label={t.mtu}
          name="mtu"
          type="number"
          min={576}
          max={65_535}
          optional
          hint={t.mtuHint}
          value={mtu}
          onChange={setMtu}
        />
        <TextField
          label={t.probeTarget}
          name="probe_target"
          optional
          hint={t.probeHint}
          value={target}
          onChange={setTarget}
        />
      </div>
      <SwitchField label={t.enabledField} hint={t.enabledHint} value={enabled} onChange={setEnabled} />
      {!enabled && isUp(tunnel) && policies.length > 0 && (
        <p className="problem" role="status">
          {t.editStops(format.list(policies.map(({ policy }) => policy)))}
        </p>
      )}
    </FormDialog>
  );
}
