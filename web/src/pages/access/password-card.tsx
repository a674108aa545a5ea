import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { Card } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

const empty = { current: "", fresh: "", again: "" };

export function PasswordCard() {
  const { access: t } = useTranslation();
  const may = useMay();
  const toast = useToast();
  const [typed, setTyped] = useState(empty);
  const [differ, setDiffer] = useState(false);
  const change = useAction("auth", "changePassword", {
    onDone: ({ sessions_ended }) => {
      setTyped(empty);
      toast.done(t.changed(sessions_ended));
    },
  });
  if (!may(["auth", "changePassword"])) return null;
  const submit = () => {
    setDiffer(typed.fresh !== typed.again);
    if (typed.fresh === typed.again)
      change.mutate({ body: { current_password: typed.current, new_password: typed.fresh } });
  };
  return (
    <Card title={t.password}>
      <Form onSubmit={submit} problem={differ ? new Error(t.differ) : change.error}>
        <TextField
          label={t.current}
          name="current_password"
          type="password"
          autoComplete="current-password"
          value={typed.current}
          onChange={(current) => setTyped({ ...typed, current })}
        />
        <TextField
          label={t.fresh}
          hint={t.freshHint}
          name="new_password"
          type="password"
          autoComplete="new-password"
          value={typed.fresh}
          onChange={(fresh) => setTyped({ ...typed, fresh })}
        />
        <TextField
          label={t.again}
          type="password"
          autoComplete="new-password"
          value={typed.again}
          onChange={(again) => setTyped({ ...typed, again })}
        />
        <p className="quiet fine">{t.changeHint}</p>
        <div>
          <Button type="submit" needs={["auth", "changePassword"]} busy={change.isPending}>
            {t.change}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
