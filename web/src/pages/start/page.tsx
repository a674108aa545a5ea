import { type ReactNode, useEffect } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { useCurrentUser } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { AccountStep } from "./account-step.tsx";
import { ClassesStep } from "./classes-step.tsx";
import { FiltersStep } from "./filters-step.tsx";
import { NetworkStep } from "./network-step.tsx";
import { ProofStep } from "./proof-step.tsx";
import { before, next, type Step, stepFrom, steps } from "./steps.ts";
import { TunnelStep } from "./tunnel-step.tsx";
import "./start.css";

const kept = "portcullis.start";

/** One step per screen. It can be left at any time and continues where it was. */
export function StartPage() {
  const { start: t } = useTranslation();
  const who = useCurrentUser().data;
  const [requested, go] = useSearchParam("step");
  const hasAccount = who?.setup_open === false || who?.enabled === false;
  const step = stepFrom(requested, localStorage.getItem(kept), hasAccount);
  useEffect(() => {
    if (step !== "account") localStorage.setItem(kept, step);
  }, [step]);
  const onward = () => go(next(step));
  const content: Readonly<Record<Step, ReactNode>> = {
    account: <AccountStep />,
    network: <NetworkStep onDone={onward} />,
    tunnel: <TunnelStep onDone={onward} />,
    filters: <FiltersStep onDone={onward} />,
    classes: <ClassesStep onDone={onward} />,
    proof: <ProofStep />,
  };
  return (
    <main className="start">
      <Progress step={step} />
      <Page key={step} title={t.titles[step]} subtitle={t.subtitles[step]}>
        {content[step]}
        {step !== "account" && (
          <nav className="row spread start-options" aria-label={t.otherOptions}>
            <Button kind="quiet" disabled={step === "network"} onPress={() => go(before(step))}>
              {t.back}
            </Button>
            <LinkButton kind="quiet" to="/">
              {t.later}
            </LinkButton>
          </nav>
        )}
      </Page>
    </main>
  );
}

function Progress({ step }: { readonly step: Step }) {
  const { start: t } = useTranslation();
  return (
    <ol className="start-progress" aria-label={t.progress}>
      {steps.map((it) => (
        <li
          key={it}
          aria-current={it === step ? "step" : undefined}
          className={steps.indexOf(it) < steps.indexOf(step) ? "done" : ""}
        >
          {t.short[it]}
        </li>
      ))}
    </ol>
  );
}
