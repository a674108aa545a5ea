import { Button } from "../../ui/button.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { type Draft, pasted, refusalsOf } from "./drafts.ts";

interface DraftProps {
  readonly draft: Draft;
  readonly onChange: (changed: Partial<Draft>) => void;
  readonly onRemove: () => void;
  readonly onSubmit: () => void;
}

/** One text: its recognised kind, the name, and the lines that the gateway refused. */
export function DraftBlock({ draft, onChange, onRemove, onSubmit }: DraftProps) {
  const { tunnels: t, paths } = useTranslation();
  const { recognised, file, name, username, password, problem } = draft;
  const refusals = refusalsOf(problem);
  const known = recognised.kind === "wireguard" || recognised.kind === "openvpn";
  const title = file ?? t.pastedText;
  return (
    <section className="tunnels-draft stack tight" aria-label={title}>
      <div className="tunnels-draft-head">
        <p className="grow">
          <span className="strong wrap">{title}</span>{" "}
          <span className="quiet" role="status">
            {known ? t.recognised(paths.tunnelKinds[recognised.kind]) : t.unknownFile}
          </span>
        </p>
        {draft.key !== pasted && <Button kind="bare" icon="close" label={t.leaveOut(title)} onPress={onRemove} />}
      </div>
      {known && (
        <Form onSubmit={onSubmit} problem={refusals.length > 0 ? null : (problem ?? null)}>
          <TextField
            label={t.name}
            name="name"
            optional
            hint={t.nameHint}
            value={name}
            onChange={(typed) => onChange({ name: typed })}
          />
          {recognised.kind === "openvpn" && recognised.needsCredentials && (
            <div className="tunnels-two">
              <TextField
                label={t.username}
                name="username"
                hint={t.credentialsHint}
                value={username}
                onChange={(typed) => onChange({ username: typed })}
              />
              <TextField
                label={t.password}
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
          <p>{t.refused}</p>
          <ul>
            {refusals.map(({ line, problem: why }) => (
              <li key={`${line} ${why}`} className="wrap">
                {line !== null && <span className="strong">{t.line(line)} </span>}
                {why}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
