import { useQuery } from "@tanstack/react-query";
import { Page } from "../../kit/page.tsx";
import { reading } from "../../line/reading.ts";
import { useMay } from "../../line/session.tsx";
import { useWords } from "../../words/words.tsx";
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
