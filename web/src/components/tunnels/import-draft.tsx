import { Button } from "../../ui/button.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { type Draft, pasted, refusalsOf } from "./drafts.ts";

interface DraftProps {
  readonly draft: Draft;
  readonly onChange: (changed: Partial<Draft>) => void;
  readonly onRemove: () => void;
  readonly onSubmit: () => void;
}

/** One text: its recognised kind, the name, and the lines that the gateway refused. */
export function DraftBlock({ draft, onChange, onRemove, onSubmit }: DraftProps) {
  const { tunnels: say, paths } = useWords();
  const { recognised, file, name, username, password, problem } = draft;
  const refusals = refusalsOf(problem);
  const known = recognised.kind === "wireguard" || recognised.kind === "openvpn";
  const title = file ?? say.pastedText;
  return (
    <section className="tunnels-draft stack tight" aria-label={title}>
      <div className="tunnels-draft-head">
        <p className="grow">
          <span className="strong wrap">{title}</span>{" "}
          <span className="quiet" role="status">
            {known ? say.recognised(paths.tunnelKinds[recognised.kind]) : say.stranger}
          </span>
        </p>
        {draft.key !== pasted && <Button kind="bare" icon="close" label={say.leaveOut(title)} onPress={onRemove} />}
      </div>
      {known && (
        <Form onSubmit={onSubmit} problem={refusals.length > 0 ? null : (problem ?? null)}>
          <TextField
            label={say.name}
            name="name"
            optional
            hint={say.nameHint}
            value={name}
            onChange={(typed) => onChange({ name: typed })}
          />
          {recognised.kind === "openvpn" && recognised.asksForCredentials && (
            <div className="tunnels-two">
              <TextField
                label={say.username}
                name="username"
                hint={say.credentialsHint}
                value={username}
                onChange={(typed) => onChange({ username: typed })}
              />
              <TextField
                label={say.password}
                name="password"
                type="password"
                autoComplete="new-password"
                value={password}
                onChange={(typed) => onChange({ password: typed })}
              />
            </div>
          )}
        </Form>
      )}
      {refusals.length > 0 && (
        <div className="problem bad stack tight" role="alert">
          <p>{say.refused}</p>
          <ul>
            {refusals.map(({ line, problem: why }) => (
              <li key={`${line} ${why}`} className="wrap">
                {line !== null && <span className="strong">{say.line(line)} </span>}
                {why}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
