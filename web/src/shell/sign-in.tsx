import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Form, TextField } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { gateway } from "../api/gateway.ts";
import { clearSession } from "../api/session.tsx";
import { useTranslation } from "../i18n/i18n.tsx";
import "./shell.css";

/** With the password or an API key: both create a session in a cookie that no script can read. */
export function SignIn() {
  const t = useTranslation().signIn;
  const queries = useQueryClient();
  const [method, setMethod] = useState<"password" | "key">("password");
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [key, setKey] = useState("");
  const enter = useMutation({
    mutationFn: () =>
      method === "password"
        ? gateway.auth.login({ body: { username, password } })
        : gateway.auth.loginWithKey({ body: { key: key.trim() } }),
    onSuccess: () => clearSession(queries),
  });
  return (
    <main className="gatehouse">
      <Page title={t.title} subtitle={method === "password" ? t.byPassword : t.byKey}>
        <Form onSubmit={() => enter.mutate()} problem={enter.error}>
          {method === "password" ? (
            <>
              <TextField label={t.username} value={username} onChange={setUsername} autoComplete="username" autoFocus />
              <TextField
                label={t.password}
                type="password"
                value={password}
                onChange={setPassword}
                autoComplete="current-password"
              />
            </>
          ) : (
            <TextField label={t.key} hint={t.keyHint} type="password" value={key} onChange={setKey} autoFocus />
          )}
          <div className="row spread">
            <Button type="submit" kind="main" busy={enter.isPending}>
              {t.enter}
            </Button>
            <Button kind="quiet" onPress={() => setMethod(method === "password" ? "key" : "password")}>
              {t.other[method]}
            </Button>
          </div>
        </Form>
      </Page>
    </main>
  );
}
