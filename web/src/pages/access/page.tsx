import { LinkButton } from "../../ui/button.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { Facts } from "../../ui/facts.tsx";
import { useWho } from "../../api/session.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { KeysCard } from "./keys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import "./access.css";

/** API keys, sessions, the password and the roles. */
export function AccessPage() {
  const { frame, access: say } = useWords();
  const who = useWho().data;
  return (
    <Page title={frame.titles.access} question={say.question}>
      {who?.enabled === false && (
        <div className="problem">
          <p>{say.open}</p>
          <p className="quiet fine">{say.openHow}</p>
        </div>
      )}
      {who?.local_bypass && (
        <div className="problem row spread">
          <p className="grow">{say.neighbour}</p>
          <LinkButton to="/sign-in">{frame.signIn}</LinkButton>
        </div>
      )}
      <KeysCard />
      <SessionsCard />
      <div className="access-halves">
        <Card title={say.roles}>
          <Facts
            all={(["admin", "operator", "viewer", "diagnostics"] as const).map(
              (role) => [frame.roles[role], say.may[role]] as const,
            )}
          />
        </Card>
        {who?.configured && <PasswordCard />}
      </div>
    </Page>
  );
}
