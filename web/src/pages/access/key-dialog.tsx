import { roles } from "@portcullis/contract/role";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
import { SelectField } from "../../ui/form.tsx";
import { type Body, useAction } from "../../api/queries.ts";
import { rulesOf } from "../../api/rules.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { endOf, type Lasting, lastings } from "./expiry.ts";

type Request = Body<"auth", "createKey">;

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
  if (!open) return null;
  if (!made) return <KeyForm onMade={setMade} onClose={close} />;
  return (
    <Dialog open onClose={close} title={t.madeTitle(made.name)}>
      <Shown made={made} onClose={close} />
    </Dialog>
  );
}

interface FormProps {
  readonly onMade: (made: Made) => void;
  readonly onClose: () => void;
}

function KeyForm({ onMade, onClose }: FormProps) {
  const { shell, access: t } = useTranslation();
  const [lasting, setLasting] = useState<Lasting>("quarter");
  const form = useBody(rulesOf("auth", "createKey"), { first: { role: "viewer" } });
  const create = useAction("auth", "createKey", { onDone: onMade });
  const { role = "viewer" } = form.values;
  return (
    <BodyDialog<Request, "name" | "role">
      form={form}
      title={t.addTitle}
      needs={["auth", "createKey"]}
      onClose={onClose}
      onSave={(body) => create.mutate({ body: { ...(body as Request), expires_at: endOf(lasting, new Date()) } })}
      busy={create.isPending}
      problem={create.error}
      action={t.make}
      fields={[
        "name",
        "role",
        <SelectField
          key="expires_at"
          label={t.lasts}
          name="expires_at"
          value={lasting}
          onChange={setLasting}
          options={lastings.map((value) => ({ value, label: t.lasting[value] }))}
        />,
      ]}
      texts={{
        name: { label: t.name, hint: t.nameHint },
        role: { label: t.role, hint: t.may[role], options: shell.roles },
      }}
      options={{ role: roles.toReversed().map((value) => ({ value, label: shell.roles[value] })) }}
    />
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
