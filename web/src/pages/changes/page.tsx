import { useQuery } from "@tanstack/react-query";
import { Page } from "../../ui/page.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { DocumentCard } from "./document-card.tsx";
import { History } from "./history.tsx";
import { Staged } from "./staged.tsx";
import { Trial } from "./trial.tsx";
import "./changes.css";

export function ChangesPage() {
  const { shell, changes: t } = useTranslation();
  const may = useMay();
  const shown = useQuery(apiQuery("changes", "show"));
  return (
    <Page title={shell.titles.changes} subtitle={t.subtitle}>
      {shown.data?.pending && <Trial pending={shown.data.pending} />}
      <Staged query={shown} />
      {may(["snapshots", "list"]) && <History />}
      {may(["configuration", "export"]) && <DocumentCard isPending={shown.data?.pending != null} />}
    </Page>
  );
}
