import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { Icon } from "../../ui/icon.tsx";
import { allRows } from "../../api/queries.ts";
import { usePolicySentence } from "../../components/paths.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import type { Evaluation } from "./simulation.ts";

type Step = Evaluation["trace"][number];

interface Props {
  readonly evaluation: Evaluation;
  readonly isQuarantined: boolean;
}

/** The policies that match the device; the deciding one is marked. */
export function Why({ evaluation, isQuarantined }: Props) {
  const { trace, reason, exception_id } = evaluation;
  const t = useTranslation().device.why;
  const matching = trace.filter(({ matched, decided }) => matched || decided);
  const silent = trace.filter(({ matched, decided }) => !matched && !decided);
  const first = exception_id ? t.byException : isQuarantined ? t.byQuarantine : t.byDefault;
  const isDecided = trace.some(({ decided }) => decided);
  return (
    <div className="stack tight">
      <h3>{t.title}</h3>
      <ol className="device-why">
        <Steps steps={matching} shown={reason} />
        {!isDecided && (
          <li className="decided">
            <Icon name="check" />
            <div>
              <p>
                <span className="strong">{first}</span> <span className="tag">{t.decides}</span>
              </p>
            </div>
          </li>
        )}
      </ol>
      {silent.length > 0 && (
        <details>
          <summary className="quiet fine">{t.silent(silent.length)}</summary>
          <ol className="device-why">
            <Steps steps={silent.slice(0, maxShown)} />
          </ol>
        </details>
      )}
    </div>
  );
}

/** The full trace is on the page Routing. */
const maxShown = 100;

/** `shown`: the reason that is shown under the ribbon already. */
function Steps({ steps, shown }: { readonly steps: readonly Step[]; readonly shown?: string }) {
  const t = useTranslation().device.why;
  const why = useReason();
  const sentence = usePolicySentence();
  const policies = useQuery(allRows("routing", "list")).data;
  const byId = useMemo(() => new Map(policies?.map((it) => [it.id, it])), [policies]);
  return steps.map((step) => {
    const { policy_id, name, decided, reason } = step;
    const policy = byId.get(policy_id);
    return (
      <li key={policy_id} className={decided ? "decided" : ""} aria-current={decided ? "true" : undefined}>
        <Icon name={decided ? "check" : "down"} />
        <div>
          <p>
            <Link href={`/routing?open=${policy_id}`} className="strong wrap">
              {name}
            </Link>
            {policy && <span className="wrap"> · {sentence(policy)}</span>}{" "}
            {decided && <span className="tag">{t.decides}</span>}
          </p>
          {reason !== shown && <p className="quiet fine wrap">{why.line(step)}</p>}
        </div>
      </li>
    );
  });
}
