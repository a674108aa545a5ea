import { useQuery } from "@tanstack/react-query";
import { Page } from "../../ui/page.tsx";
import { reading } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { History } from "./history.tsx";
import { Staged } from "./staged.tsx";
import { Trial } from "./trial.tsx";
import "./changes.css";

export function ChangesPage() {
  const { frame, changes: say } = useWords();
  const may = useMay();
  const shown = useQuery(reading("changes", "show"));
  return (
    <Page title={frame.titles.changes} question={say.question}>
      {shown.data?.pending && <Trial pending={shown.data.pending} />}
      <Staged query={shown} />
      {may(["snapshots", "list"]) && <History />}
    </Page>
  );
}
