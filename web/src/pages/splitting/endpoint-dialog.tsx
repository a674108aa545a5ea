import type { SplittingEndpoint } from "@portcullis/contract/subsystems/splitting";
import { useDraft } from "../../ui/draft.ts";
import { type Option, SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PickField } from "../../ui/pick.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useSaving } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";
import { bodyOf, type EndpointFields, fieldsOf } from "./shares.ts";

interface DialogProps {
  /** Absent: a new endpoint. */
  readonly endpoint?: SplittingEndpoint | undefined;
  readonly tunnels: readonly Option[];
  readonly onClose: () => void;
}

export function EndpointDialog({ endpoint, tunnels, onClose }: DialogProps) {
  const { splitting: say, kit } = useWords();
  const toast = useToast();
  const [fields, change] = useDraft(fieldsOf(endpoint));
  const { save, ...saving } = useSaving("splittingEndpoints", endpoint?.id, {
    renews: ["splitting"],
    onDone: () => {
      toast.done(say.saved);
      onClose();
    },
  });
  return (
    <FormDialog
      needs={["splittingEndpoints", "update"]}
      title={endpoint ? say.editOne : say.addOne}
      onClose={onClose}
      onSave={() => save(bodyOf(fields))}
      {...saving}
      action={endpoint ? kit.save : kit.add}
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
  const say = useWords().splitting;
  return (
    <>
      <PickField
        label={say.tunnel}
        name="tunnel_id"
        value={fields.tunnelId}
        onChange={(tunnelId) => onChange({ tunnelId })}
        options={tunnels}
      />
      <SelectField
        label={say.role}
        name="role"
        hint={say.roleHints[fields.role]}
        value={fields.role}
        // Cover traffic starts only when it is enabled explicitly.
        onChange={(role) => onChange({ role, enabled: role === "member" })}
        options={[
          { value: "member", label: say.roles.member },
          { value: "cover", label: say.roles.cover },
        ]}
      />
      {fields.role === "member" ? (
        <TextField
          label={say.weight}
          name="weight"
          type="number"
          min={1}
          max={100}
          hint={say.weightHint}
          value={fields.weight}
          onChange={(weight) => onChange({ weight })}
        />
      ) : (
        <>
          <TextField
            label={say.target}
            name="target"
            hint={say.targetHint}
            value={fields.target}
            onChange={(target) => onChange({ target })}
          />
          <TextField
            label={say.rate}
            name="bytes_per_second"
            type="number"
            min={1}
            max={65_536}
            value={fields.rate}
            onChange={(rate) => onChange({ rate })}
          />
        </>
      )}
      <TextField label={say.name} name="name" optional value={fields.name} onChange={(name) => onChange({ name })} />
      <SwitchField label={say.enabled} value={fields.enabled} onChange={(enabled) => onChange({ enabled })} />
    </>
  );
}
