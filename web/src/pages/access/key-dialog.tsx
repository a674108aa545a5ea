import { type Role, roles } from "@portcullis/contract/role";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Form, SelectField, TextField } from "../../ui/form.tsx";
import { FormButtons } from "../../ui/form-dialog.tsx";
import { useAct } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";
import { endOf, type Lasting, lastings } from "./expiry.ts";

interface Made {
  readonly name: string;
  readonly key: string;
}

/** Takes a name, a role and an expiry; then shows the key once. */
export function KeyDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { access: say } = useWords();
  const [made, setMade] = useState<Made>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Dialog open={open} onClose={close} title={made ? say.madeTitle(made.name) : say.addTitle}>
      {made ? <Shown made={made} onClose={close} /> : <Asking onMade={setMade} onClose={close} />}
    </Dialog>
  );
}

function Asking({ onMade, onClose }: { readonly onMade: (made: Made) => void; readonly onClose: () => void }) {
  const { frame, access: say } = useWords();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [lasting, setLasting] = useState<Lasting>("quarter");
  const create = useAct("auth", "createKey", { onDone: onMade });
  return (
    <Form
      problem={create.error}
      buttons={<FormButtons onClose={onClose} busy={create.isPending} action={say.make} />}
      onSubmit={() => create.mutate({ body: { name, role, expires_at: endOf(lasting, new Date()) } })}
    >
      <TextField label={say.name} hint={say.nameHint} name="name" value={name} onChange={setName} autoFocus />
      <SelectField
        label={say.role}
        hint={say.may[role]}
        name="role"
        value={role}
        onChange={setRole}
        options={roles.toReversed().map((value) => ({ value, label: frame.roles[value] }))}
      />
      <SelectField
        label={say.lasts}
        name="expires_at"
        value={lasting}
        onChange={setLasting}
        options={lastings.map((value) => ({ value, label: say.lasting[value] }))}
      />
    </Form>
  );
}

function Shown({ made, onClose }: { readonly made: Made; readonly onClose: () => void }) {
  const { access: say } = useWords();
  return (
    <div className="stack">
      <p>{say.once}</p>
      <CodeBlock text={made.key} label={say.theKey} />
      <p className="quiet fine">
        {say.use}: <code>Authorization: Bearer …</code>
      </p>
      <div>
        <Button kind="main" onPress={onClose}>
          {say.done}
        </Button>
      </div>
    </div>
  );
}
