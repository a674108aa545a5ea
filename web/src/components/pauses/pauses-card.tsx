import type { Pause } from "@portcullis/contract/subsystems/pauses";
import { useQuery } from "@tanstack/react-query";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { Button } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { PauseDialog, type PauseTarget } from "./pause-dialog.tsx";
import { PauseText, ResumeButton } from "./pause-line.tsx";

interface Props {
  /** Whom a new pause is for. */
  readonly target: PauseTarget;
  /** Which pauses are listed; absent: all. */
  readonly shows?: (pause: Pause) => boolean;
}

/** Active pauses with their remaining time. */
export function PausesCard({ target, shows = () => true }: Props) {
  const t = useTranslation().pauses;
  const may = useMay();
  const active = useQuery({ ...apiQuery("pauses", "active"), refetchInterval: 10_000 });
  const [action, setAction] = useSearchParam("do");
  return (
    <>
      <LoadedCard
        title={t.title}
        query={active}
        actions={
          <Button needs={["pauses", "create"]} onPress={() => setAction("pause")}>
            {t.add}
          </Button>
        }
      >
        {(all) => {
          const shown = all.filter(shows);
          return shown.length === 0 ? (
            <p className="quiet">{t.none}</p>
          ) : (
            <ul className="stack tight">
              {shown.map((it) => (
                <li key={it.id} className="row">
                  <div className="grow">
                    <p>
                      <PauseText pause={it} />
                    </p>
                    <p className="quiet fine wrap">{[it.reason, t.by(it.actor)].filter(Boolean).join(" · ")}</p>
                  </div>
                  <ResumeButton pause={it} />
                </li>
              ))}
            </ul>
          );
        }}
      </LoadedCard>
      {action === "pause" && may(["pauses", "create"]) && <PauseDialog target={target} onClose={() => setAction("")} />}
    </>
  );
}
