import { LinkButton } from "../../ui/button.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { Facts } from "../../ui/facts.tsx";
import { useCurrentUser } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { KeysCard } from "./keys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import "./access.css";

/** API keys, sessions, the password and the roles. */
export function AccessPage() {
  const { shell, access: t } = useTranslation();
  const who = useCurrentUser().data;
  return (
    <Page title={shell.titles.access} subtitle={t.subtitle}>
      {who?.enabled === false && (
        <div className="problem">
          <p>{t.open}</p>
          <p className="quiet fine">{t.openHow}</p>
        </div>
      )}
      {who?.local_bypass && (
        <div className="problem row spread">
          <p className="grow">{t.neighbour}</p>
          <LinkButton to="/sign-in">{shell.signIn}</LinkButton>
        </div>
      )}
      <KeysCard />
      <SessionsCard />
      <div className="access-halves">
        <Card title={t.roles}>
          <Facts
            all={(["admin", "operator", "viewer", "diagnostics", "metrics"] as const).map(
              (role) => [shell.roles[role], t.may[role]] as const,
            )}
          />
        </Card>
        {who?.configured && <PasswordCard />}
      </div>
    </Page>
  );
}
