import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { gateway } from "../../api/gateway.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { codeFrom } from "./setup-code.ts";

/** The setup code from the gateway's console creates the account, once. */
export function AccountStep() {
  const { start: t } = useTranslation();
  const queries = useQueryClient();
  const [code, setCode] = useState(() => codeFrom(window.location.hash));
  const [username, setUsername] = useState("admin");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [differs, setDiffers] = useState(false);
  const make = useMutation({
    mutationFn: () => gateway.auth.setup({ body: { username, password, code: code.trim() } }),
    onSuccess: () => queries.invalidateQueries(),
  });
  // The code was read: remove it from the address, which could be copied or stay in the history.
  useEffect(() => {
    if (window.location.hash !== "") window.history.replaceState(window.history.state, "", window.location.pathname);
  }, []);
  const submit = () => {
    setDiffers(password !== again);
    if (password === again) make.mutate();
  };
  return (
    <Form onSubmit={submit} problem={make.error}>
      <TextField
        label={t.code}
        name="code"
        hint={t.codeHint}
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
        autoFocus={code === ""}
      />
      <TextField label={t.username} name="username" value={username} onChange={setUsername} autoComplete="username" />
      <TextField
        label={t.password}
        name="password"
        hint={t.passwordHint}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
        autoFocus={code !== ""}
      />
      <TextField label={t.again} type="password" value={again} onChange={setAgain} autoComplete="new-password" />
      {differs && (
        <p className="problem bad" role="alert">
          {t.differs}
        </p>
      )}
      <div>
        <Button kind="main" type="submit" busy={make.isPending}>
          {t.makeAccount}
        </Button>
      </div>
    </Form>
  );
}
