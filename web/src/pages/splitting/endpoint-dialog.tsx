import type { SplittingEndpoint } from "@portcullis/contract/subsystems/splitting";
import { useDraft } from "../../ui/draft.ts";
import { type Option, SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PickField } from "../../ui/pick.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useSave } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { bodyOf, type EndpointFields, fieldsOf } from "./shares.ts";

interface DialogProps {
  /** Absent: a new endpoint. */
  readonly endpoint?: SplittingEndpoint | undefined;
  readonly tunnels: readonly Option[];
  readonly onClose: () => void;
}

export function EndpointDialog({ endpoint, tunnels, onClose }: DialogProps) {
  const { splitting: t, ui } = useTranslation();
  const toast = useToast();
  const [fields, change] = useDraft(fieldsOf(endpoint));
  const { save, ...saving } = useSave("splittingEndpoints", endpoint?.id, {
    invalidates: ["splitting"],
    onDone: () => {
      toast.done(t.saved);
      onClose();
    },
  });
  return (
    <FormDialog
      needs={["splittingEndpoints", "update"]}
      title={endpoint ? t.editOne : t.addOne}
      onClose={onClose}
      onSave={() => save(bodyOf(fields))}
      {...saving}
      action={endpoint ? ui.save : ui.add}
    >
      <EndpointFieldset fields={fields} tunnels={tunnels} onChange={change} />
    </FormDialog>
  );
}

interface FieldsetProps {
  readonly fields: EndpointFields;
  readonly tunnels: readonly Option[];
  readonly onChange: (changed: Partial<EndpointFields>) => void;
}

function EndpointFieldset({ fields, tunnels, onChange }: FieldsetProps) {
  const t = useTranslation().splitting;
  return (
    <>
      <PickField
        label={t.tunnel}
        name="tunnel_id"
        value={fields.tunnelId}
        onChange={(tunnelId) => onChange({ tunnelId })}
        options={tunnels}
      />
      <SelectField
        label={t.role}
        name="role"
        hint={t.roleHints[fields.role]}
        value={fields.role}
        // Cover traffic starts only when it is enabled explicitly.
        onChange={(role) => onChange({ role, enabled: role === "member" })}
        options={[
          { value: "member", label: t.roles.member },
          { value: "cover", label: t.roles.cover },
        ]}
      />
      {fields.role === "member" ? (
        <TextField
          label={t.weight}
          name="weight"
          type="number"
          min={1}
          max={100}
          hint={t.weightHint}
          value={fields.weight}
          onChange={(weight) => onChange({ weight })}
        />
      ) : (
        <>
          <TextField
            label={t.target}
            name="target"
            hint={t.targetHint}
            value={fields.target}
            onChange={(target) => onChange({ target })}
          />
          <TextField
            label={t.rate}
            name="bytes_per_second"
            type="number"
            min={1}
            max={65_536}
            value={fields.rate}
            onChange={(rate) => onChange({ rate })}
          />
        </>
      )}
      <TextField label={t.name} name="name" optional value={fields.name} onChange={(name) => onChange({ name })} />
      <SwitchField label={t.enabled} value={fields.enabled} onChange={(enabled) => onChange({ enabled })} />
    </>
  );
}
