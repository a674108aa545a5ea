import { useQuery } from "@tanstack/react-query";
import { Button, LinkButton } from "../ui/button.tsx";
import { reading } from "../api/reading.ts";
import { useWords } from "../i18n/i18n.tsx";
import { useApply, usualTrialSec } from "./applying.ts";
import "./staged-bar.css";

/** Shown at the bottom of a page that stages, while staged changes wait for an apply. */
export function StagedBar() {
  const say = useWords().staging;
  const shown = useQuery(reading("changes", "show")).data;
  const apply = useApply();
  if (!shown || shown.staged.length === 0) return null;
  const count = shown.staged.length;
  return (
    <section className="staged-bar" aria-label={say.waits(count)}>
      <div className="row">
        <p>
          <strong>{say.waits(count)}.</strong>{" "}
          <span className="quiet staged-bar-more">{shown.pending ? say.trialFirst : say.notYet}</span>
        </p>
        <LinkButton kind="quiet" to="/changes">
          {say.see}
        </LinkButton>
      </div>
      {!shown.pending && (
        <div className="row">
          <Button needs={["routing", "apply"]} busy={apply.busy} onPress={() => apply.run()}>
            {say.apply}
          </Button>
          <Button kind="main" needs={["routing", "apply"]} busy={apply.busy} onPress={() => apply.run(usualTrialSec)}>
            {say.tryFor}
          </Button>
        </div>
      )}
    </section>
  );
}
