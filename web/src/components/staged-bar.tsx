import { useQuery } from "@tanstack/react-query";
import { Button, LinkButton } from "../ui/button.tsx";
import { apiQuery } from "../api/queries.ts";
import { useTranslation } from "../i18n/i18n.tsx";
import { useApply, defaultTrialSec } from "./applying.ts";
import "./staged-bar.css";

/** Shown at the bottom of a page that stages, while staged changes wait for an apply. */
export function StagedBar() {
  const t = useTranslation().staging;
  const shown = useQuery(apiQuery("changes", "show")).data;
  const apply = useApply();
  if (!shown || shown.staged.length === 0) return null;
  const count = shown.staged.length;
  return (
    <section className="staged-bar" aria-label={t.waits(count)}>
      <div className="row">
        <p>
          <strong>{t.waits(count)}.</strong>{" "}
          <span className="quiet staged-bar-more">{shown.pending ? t.trialFirst : t.notYet}</span>
        </p>
        <LinkButton kind="quiet" to="/changes">
          {t.see}
        </LinkButton>
      </div>
      {!shown.pending && (
        <div className="row">
          <Button needs={["routing", "apply"]} busy={apply.busy} onPress={() => apply.run()}>
            {t.apply}
          </Button>
          <Button kind="main" needs={["routing", "apply"]} busy={apply.busy} onPress={() => apply.run(defaultTrialSec)}>
            {t.tryFor}
          </Button>
        </div>
      )}
    </section>
  );
}
