import { Page } from "../../ui/page.tsx";
import { useMay } from "../../api/session.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { AboutCard } from "./about-card.tsx";
import { BrowserCard } from "./browser-card.tsx";
import { FileCard } from "./file-card.tsx";
import { SecretsCard } from "./secrets-card.tsx";
import { StoredCard } from "./stored-card.tsx";
import "./settings.css";

export function SettingsPage() {
  const { frame, settings: say } = useWords();
  const may = useMay();
  return (
    <Page title={frame.titles.settings} question={say.question}>
      <StoredCard />
      {may(["secrets", "list"]) && <SecretsCard />}
      <div className="settings-halves">
        <BrowserCard />
        <AboutCard />
      </div>
      <FileCard />
    </Page>
  );
}
