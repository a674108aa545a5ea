import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { useState } from "react";
import { SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAct } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { carries } from "../../components/tunnels/condition.ts";

interface EditProps {
  readonly tunnel: Tunnel;
  readonly policies: readonly TunnelEgress[];
  readonly onClose: () => void;
}

/** The settings of the gateway; the others come from the imported file. */
export function EditDialog({ tunnel, policies, onClose }: EditProps) {
  const say = useWords().tunnels;
  const toast = useToast();
  const format = useFormat();
  const [name, setName] = useState(tunnel.name);
  const [mtu, setMtu] = useState(tunnel.mtu === null ? "" : String(tunnel.mtu));
  const [target, setTarget] = useState(tunnel.probe_target ?? "");
  const [enabled, setEnabled] = useState(tunnel.enabled);
  const update = useAct("tunnels", "update", {
    renews: ["policyViews"],
    onDone: () => {
      toast.done(say.saved(name));
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
      title={say.editTitle(tunnel.name)}
      onClose={onClose}
      onSave={submit}
      busy={update.isPending}
      problem={update.error}
      needs={["tunnels", "update"]}
    >
      <TextField label={say.name} name="name" value={name} onChange={setName} autoFocus />
      <div className="tunnels-two">
        <TextField
          label={say.mtu}
          name="mtu"
          type="number"
          min={576}
          max={65_535}
          optional
          hint={say.mtuHint}
          value={mtu}
          onChange={setMtu}
        />
        <TextField
          label={say.probeTarget}
          name="probe_target"
          optional
          hint={say.probeHint}
          value={target}
          onChange={setTarget}
        />
      </div>
      <SwitchField label={say.enabledField} hint={say.enabledHint} value={enabled} onChange={setEnabled} />
      {!enabled && carries(tunnel) && policies.length > 0 && (
        <p className="problem" role="status">
          {say.editStops(format.list(policies.map(({ policy }) => policy)))}
        </p>
      )}
    </FormDialog>
  );
}
