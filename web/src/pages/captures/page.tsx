import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { CapturesCard } from "./captures-card.tsx";
import { PacketsCard } from "./packets-card.tsx";
import { StartDialog } from "./start-dialog.tsx";
import "./captures.css";

/** Packets of an interface, while they arrive and afterwards. */
export function CapturesPage() {
  const { shell, captures: t } = useTranslation();
  const [action, setAction] = useSearchParam("do");
  const [open, setOpen] = useSearchParam("open");
  return (
    <Page
      title={shell.titles.captures}
      subtitle={t.subtitle}
      actions={
        <Button kind="main" icon="add" needs={["captures", "start"]} onPress={() => setAction("start")}>
          {t.start}
        </Button>
      }
    >
      <CapturesCard current={open} onOpen={setOpen} />
      {open !== "" && <PacketsCard key={open} id={open} />}
      {action === "start" && (
        <StartDialog
          onClose={() => setAction("")}
          onStarted={(id) => {
            setAction("");
            setOpen(id);
          }}
        />
      )}
    </Page>
  );
}
