import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { gateway } from "../../line/gateway.ts";
import { useWords } from "../../words/words.tsx";

/** The first person to come makes the account; nobody can do it again. */
export function AccountStep() {
  const { start: say } = useWords();
  const queries = useQueryClient();
  const [username, setUsername] = useState("admin");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [differs, setDiffers] = useState(false);
  const make = useMutation({
    mutationFn: () => gateway.auth.setup({ body: { username, password } }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const submit = () => {
    setDiffers(password !== again);
    if (password === again) make.mutate();
  };
  return (
    <Form onSubmit={submit} problem={make.error}>
      <TextField label={say.username} name="username" value={username} onChange={setUsername} autoComplete="username" />
      <TextField
        label={say.password}
        name="password"
        hint={say.passwordHint}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
        autoFocus
      />
      <TextField label={say.again} type="password" value={again} onChange={setAgain} autoComplete="new-password" />
      {differs && (
        <p className="problem bad" role="alert">
          {say.differs}
        </p>
      )}
      <div>
        <Button kind="main" type="submit" busy={make.isPending}>
          {say.makeAccount}
        </Button>
      </div>
    </Form>
  );
}
