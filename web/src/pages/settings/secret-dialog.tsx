import type { Secret } from "@portcullis/contract/subsystems/secrets";
import { useState } from "react";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** A new secret, or a new value for one. */
export function SecretDialog({ secret, onClose }: { readonly secret?: Secret; readonly onClose: () => void }) {
  const t = useTranslation().settings;
  const toast = useToast();
  const [name, setName] = useState(secret?.name ?? "");
  const [description, setDescription] = useState(secret?.description ?? "");
  const [value, setValue] = useState("");
  const onDone = () => {
    toast.done(t.kept(name));
    onClose();
  };
  const create = useAction("secrets", "create", { onDone });
  const update = useAction("secrets", "update", { onDone });
  const submit = () =>
    secret
      ? update.mutate({ params: { id: secret.id }, body: { name, description, ...(value !== "" && { value }) } })
      : create.mutate({ body: { name, description, value } });
  return (
    <FormDialog
      needs={["secrets", "update"]}
      title={secret ? t.editTitle(secret.name) : t.addTitle}
      onClose={onClose}
      onSave={submit}
      busy={create.isPending || update.isPending}
      problem={create.error ?? update.error}
      action={t.keep}
    >
      <TextField label={t.name} name="name" value={name} onChange={setName} autoFocus />
      <TextField label={t.about} name="description" value={description} onChange={setDescription} optional />
      <TextField
        label={secret ? t.newValue : t.value}
        hint={secret ? t.newValueHint : t.valueHint}
        name="value"
        type="password"
        autoComplete="new-password"
        value={value}
        onChange={setValue}
      />
    </FormDialog>
  );
}
