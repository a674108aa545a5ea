import type { Secret } from "@portcullis/contract/subsystems/secrets";
import { useState } from "react";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAct } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";

/** A new secret, or a new value for one. */
export function SecretDialog({ secret, onClose }: { readonly secret?: Secret; readonly onClose: () => void }) {
  const say = useWords().settings;
  const toast = useToast();
  const [name, setName] = useState(secret?.name ?? "");
  const [description, setDescription] = useState(secret?.description ?? "");
  const [value, setValue] = useState("");
  const onDone = () => {
    toast.done(say.kept(name));
    onClose();
  };
  const create = useAct("secrets", "create", { onDone });
  const update = useAct("secrets", "update", { onDone });
  const submit = () =>
    secret
      ? update.mutate({ params: { id: secret.id }, body: { name, description, ...(value !== "" && { value }) } })
      : create.mutate({ body: { name, description, value } });
  return (
    <FormDialog
      needs={["secrets", "update"]}
      title={secret ? say.editTitle(secret.name) : say.addTitle}
      onClose={onClose}
      onSave={submit}
      busy={create.isPending || update.isPending}
      problem={create.error ?? update.error}
      action={say.keep}
    >
      <TextField label={say.name} name="name" value={name} onChange={setName} autoFocus />
      <TextField label={say.about} name="description" value={description} onChange={setDescription} optional />
      <TextField
        label={secret ? say.newValue : say.value}
        hint={secret ? say.newValueHint : say.valueHint}
        name="value"
        type="password"
        autoComplete="new-password"
        value={value}
        onChange={setValue}
      />
    </FormDialog>
  );
}
