import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { Card } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAct } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useWords } from "../../i18n/i18n.tsx";

const empty = { current: "", fresh: "", again: "" };

export function PasswordCard() {
  const { access: say } = useWords();
  const may = useMay();
  const toast = useToast();
  const [typed, setTyped] = useState(empty);
  const [differ, setDiffer] = useState(false);
  const change = useAct("auth", "changePassword", {
    onDone: ({ sessions_ended }) => {
      setTyped(empty);
      toast.done(say.changed(sessions_ended));
    },
  });
  if (!may(["auth", "changePassword"])) return null;
  const submit = () => {
    setDiffer(typed.fresh !== typed.again);
    if (typed.fresh === typed.again)
      change.mutate({ body: { current_password: typed.current, new_password: typed.fresh } });
  };
  return (
    <Card title={say.password}>
      <Form onSubmit={submit} problem={differ ? new Error(say.differ) : change.error}>
        <TextField
          label={say.current}
          name="current_password"
          type="password"
          autoComplete="current-password"
          value={typed.current}
          onChange={(current) => setTyped({ ...typed, current })}
        />
        <TextField
          label={say.fresh}
          hint={say.freshHint}
          name="new_password"
          type="password"
          autoComplete="new-password"
          value={typed.fresh}
          onChange={(fresh) => setTyped({ ...typed, fresh })}
        />
        <TextField
          label={say.again}
          type="password"
          autoComplete="new-password"
          value={typed.again}
          onChange={(again) => setTyped({ ...typed, again })}
        />
        <p className="quiet fine">{say.changeSays}</p>
        <div>
          <Button type="submit" needs={["auth", "changePassword"]} busy={change.isPending}>
            {say.change}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
