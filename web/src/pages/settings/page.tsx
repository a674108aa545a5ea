import { Page } from "../../ui/page.tsx";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { AboutCard } from "./about-card.tsx";
import { BrowserCard } from "./browser-card.tsx";
import { FileCard } from "./file-card.tsx";
import { MqttCard } from "./mqtt-card.tsx";
import { PqCryptoCard } from "./pq-crypto-card.tsx";
import { SecretsCard } from "./secrets-card.tsx";
import { StoredCard } from "./stored-card.tsx";
import "./settings.css";

export function SettingsPage() {
  const { shell, settings: t } = useTranslation();
  const may = useMay();
  return (
    <Page title={shell.titles.settings} subtitle={t.subtitle}>
      <StoredCard />
      {may(["mqtt", "get"]) && <MqttCard />}
      <PqCryptoCard />
      {may(["secrets", "list"]) && <SecretsCard />}
      <div className="settings-halves">
        <BrowserCard />
        <AboutCard />
      </div>
      <FileCard />
    </Page>
  );
}
