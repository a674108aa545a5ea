import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Form, TextField } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { gateway } from "../api/gateway.ts";
import { forgetAll } from "../api/session.tsx";
import { useWords } from "../i18n/i18n.tsx";
import "./shell.css";

/** With the password or an API key: both create a session in a cookie that no script can read. */
export function SignIn() {
  const say = useWords().signIn;
  const queries = useQueryClient();
  const [way, setWay] = useState<"password" | "key">("password");
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [key, setKey] = useState("");
  const enter = useMutation({
    mutationFn: () =>
      way === "password"
        ? gateway.auth.login({ body: { username, password } })
        : gateway.auth.loginWithKey({ body: { key: key.trim() } }),
    onSuccess: () => forgetAll(queries),
  });
  return (
    <main className="gatehouse">
      <Page title={say.title} question={way === "password" ? say.byPassword : say.byKey}>
        <Form onSubmit={() => enter.mutate()} problem={enter.error}>
          {way === "password" ? (
            <>
              <TextField
                label={say.username}
                value={username}
                onChange={setUsername}
                autoComplete="username"
                autoFocus
              />
              <TextField
                label={say.password}
                type="password"
                value={password}
                onChange={setPassword}
                autoComplete="current-password"
              />
            </>
          ) : (
            <TextField label={say.key} hint={say.keyHint} type="password" value={key} onChange={setKey} autoFocus />
          )}
          <div className="row spread">
            <Button type="submit" kind="main" busy={enter.isPending}>
              {say.enter}
            </Button>
            <Button kind="quiet" onPress={() => setWay(way === "password" ? "key" : "password")}>
              {say.other[way]}
            </Button>
          </div>
        </Form>
      </Page>
    </main>
  );
}
