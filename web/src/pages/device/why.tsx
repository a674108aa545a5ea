import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { Icon } from "../../ui/icon.tsx";
import { everyRow } from "../../api/reading.ts";
import { usePolicySentence } from "../../components/paths.ts";
import { useWords } from "../../i18n/i18n.tsx";
import type { Evaluation } from "./supposing.ts";

type Step = Evaluation["trace"][number];

interface Props {
  readonly evaluation: Evaluation;
  readonly isQuarantined: boolean;
}

/** The policies that match the device; the deciding one is marked. */
export function Why({ evaluation, isQuarantined }: Props) {
  const { trace, reason, exception_id } = evaluation;
  const say = useWords().device.why;
  const spoke = trace.filter(({ matched, decided }) => matched || decided);
  const silent = trace.filter(({ matched, decided }) => !matched && !decided);
  const first = exception_id ? say.byException : isQuarantined ? say.byQuarantine : say.byDefault;
  const isDecided = trace.some(({ decided }) => decided);
  return (
    <div className="stack tight">
      <h3>{say.title}</h3>
      <ol className="device-why">
        <Steps steps={spoke} said={reason} />
        {!isDecided && (
          <li className="decided">
            <Icon name="check" />
            <div>
              <p>
                <span className="strong">{first}</span> <span className="tag">{say.decides}</span>
              </p>
            </div>
          </li>
        )}
      </ol>
      {silent.length > 0 && (
        <details>
          <summary className="quiet fine">{say.silent(silent.length)}</summary>
          <ol className="device-why">
            <Steps steps={silent.slice(0, silentMost)} />
          </ol>
        </details>
      )}
    </div>
  );
}

/** The full trace is on the page Routing. */
const silentMost = 100;

/** `shown`: the reason that is shown under the ribbon already. */
function Steps({ steps, said }: { readonly steps: readonly Step[]; readonly said?: string }) {
  const say = useWords().device.why;
  const sentence = usePolicySentence();
  const policies = useQuery(everyRow("routing", "list")).data;
  const byId = useMemo(() => new Map(policies?.map((it) => [it.id, it])), [policies]);
  return steps.map(({ policy_id, name, decided, reason }) => {
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
            {decided && <span className="tag">{say.decides}</span>}
          </p>
          {reason !== said && <p className="quiet fine wrap">{reason}</p>}
        </div>
      </li>
    );
  });
}
