import type { Secret } from "@portcullis/contract/subsystems/secrets";
import { EntryDialog } from "../../ui/body-form.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

/** A new secret, or a new value for one. */
export function SecretDialog({ secret, onClose }: { readonly secret?: Secret; readonly onClose: () => void }) {
  const t = useTranslation().settings;
  const toast = useToast();
  return (
    <EntryDialog
      of="secrets"
      row={secret}
      onClose={onClose}
      onDone={({ name = "" }) => toast.done(t.kept(name))}
      title={secret ? t.editTitle(secret.name) : t.addTitle}
      action={t.keep}
      fields={["name", "description", "value"]}
      texts={{
        name: t.name,
        description: t.about,
        value: secret ? { label: t.newValue, hint: t.newValueHint } : { label: t.value, hint: t.valueHint },
      }}
    />
  );
}
