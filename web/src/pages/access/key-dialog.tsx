import { type Role, roles } from "@portcullis/contract/role";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Form, SelectField, TextField } from "../../ui/form.tsx";
import { FormButtons } from "../../ui/form-dialog.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { endOf, type Lasting, lastings } from "./expiry.ts";

interface Made {
  readonly name: string;
  readonly key: string;
}

/** Takes a name, a role and an expiry; then shows the key once. */
export function KeyDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { access: t } = useTranslation();
  const [made, setMade] = useState<Made>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Dialog open={open} onClose={close} title={made ? t.madeTitle(made.name) : t.addTitle}>
      {made ? <Shown made={made} onClose={close} /> : <KeyForm onMade={setMade} onClose={close} />}
    </Dialog>
  );
}

function KeyForm({ onMade, onClose }: { readonly onMade: (made: Made) => void; readonly onClose: () => void }) {
  const { shell, access: t } = useTranslation();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [lasting, setLasting] = useState<Lasting>("quarter");
  const create = useAction("auth", "createKey", { onDone: onMade });
  return (
    <Form
      problem={create.error}
      buttons={<FormButtons onClose={onClose} busy={create.isPending} action={t.make} />}
      onSubmit={() => create.mutate({ body: { name, role, expires_at: endOf(lasting, new Date()) } })}
    >
      <TextField label={t.name} hint={t.nameHint} name="name" value={name} onChange={setName} autoFocus />
      <SelectField
        label={t.role}
        hint={t.may[role]}
        name="role"
        value={role}
        onChange={setRole}
        options={roles.toReversed().map((value) => ({ value, label: shell.roles[value] }))}
      />
      <SelectField
        label={t.lasts}
        name="expires_at"
        value={lasting}
        onChange={setLasting}
        options={lastings.map((value) => ({ value, label: t.lasting[value] }))}
      />
    </Form>
  );
}

function Shown({ made, onClose }: { readonly made: Made; readonly onClose: () => void }) {
  const { access: t } = useTranslation();
  return (
    <div className="stack">
      <p>{t.once}</p>
      <CodeBlock text={made.key} label={t.theKey} />
      <p className="quiet fine">
        {t.use}: <code>Authorization: Bearer …</code>
      </p>
      <div>
        <Button kind="main" onPress={onClose}>
          {t.done}
        </Button>
      </div>
    </div>
  );
}
