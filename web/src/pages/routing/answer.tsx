import type { Hop } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Card, Loaded } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import type { Gateway } from "../../api/gateway.ts";
import { everyRow, reading } from "../../api/reading.ts";
import { readable, useNames } from "../../components/names.ts";
import { reasonFor } from "../../components/outcomes.ts";
import { stateOf, useRibbonHops } from "../../components/paths.ts";
import { Ribbon } from "../../components/ribbon.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import type { questionOf } from "./question.ts";
import { usePolicies } from "./readings.ts";

type Question = ReturnType<typeof questionOf>;

interface AnswerProps {
  readonly question: Question;
  readonly who: string;
  readonly down: readonly string[];
}

/** The path of one packet, the reasons, and the compiled kernel rule. */
export function Answer({ question, who, down }: AnswerProps) {
  const { routing } = useWords();
  const say = routing.asking;
  const answer = useQuery({ ...reading("policyViews", "evaluate", { body: question }), retry: false });
  const nameOf = useNames();
  const hops = useHops(answer.data?.policy_id ?? null, question.staged);
  const ribbon = useRibbonHops()(hops).map((hop, place) => {
    const isDown = [hops[place]!.target, hop.name].some((word) => down.map(nameOf).includes(nameOf(word)));
    return isDown ? { ...hop, state: "down" as const } : hop;
  });
  return (
    <Card title={say.answer}>
      <Loaded query={answer}>
        {({ outcome, reason, trace, policy_id, exception_id }) => {
          const state = stateOf(outcome, hops);
          return (
            <div className="stack">
              <State state={state} text={say.outcomes[outcome]} />
              <Ribbon
                from={who}
                fromName={who}
                hops={ribbon}
                state={state}
                now={readable(reasonFor({ outcome, reason }), nameOf)}
              />
              <div className="routing-explain">
                <section className="stack tight" aria-label={say.why}>
                  <h3>{say.why}</h3>
                  {exception_id !== null && <p>{say.exception}</p>}
                  {trace.length === 0 && exception_id === null && <p className="quiet">{say.nobody}</p>}
                  <Trace trace={trace} />
                </section>
                <section className="stack tight" aria-label={say.kernel}>
                  <h3>{say.kernel}</h3>
                  <Kernel policyId={policy_id} outcome={outcome} reason={reason} staged={question.staged} />
                </section>
              </div>
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}

type Step = Awaited<ReturnType<Gateway["policyViews"]["evaluate"]>>["trace"][number];

/** The evaluated policies in order; of many that do not match, only those around the decision are shown. */
function Trace({ trace }: { readonly trace: readonly Step[] }) {
  const say = useWords().routing.asking;
  const nameOf = useNames();
  const [whole, setWhole] = useState(false);
  const numbered = trace.map((step, place) => ({ ...step, place: place + 1 }));
  const shown = whole || trace.length <= shortMost ? numbered : numbered.filter(({ matched }) => matched);
  return (
    <>
      <ol className="routing-trace">
        {shown.map(({ policy_id, name, decided, matched, reason, place }) => (
          <li key={policy_id} className={decided ? "decided" : ""} aria-current={decided ? "true" : undefined}>
            <span className="fine">{place}</span>
            <span>
              <span className="strong wrap">{name}</span>{" "}
              <span className="tag">{decided ? say.decided : matched ? say.passed : say.noMatch}</span>
              <br />
              <span className="fine wrap">{readable(reason, nameOf)}</span>
            </span>
          </li>
        ))}
      </ol>
      {shown.length < trace.length && (
        <div>
          <Button kind="quiet" onPress={() => setWhole(true)}>
            {say.showAll(trace.length - shown.length)}
          </Button>
        </div>
      )}
    </>
  );
}

const shortMost = 12;

/** The hops of the deciding policy: as applied, or as staged. */
function useHops(policyId: string | null, staged: boolean): readonly Hop[] {
  const policies = usePolicies().data;
  const profiles = useQuery({ ...everyRow("profiles", "list"), staleTime: 30_000 }).data;
  const running = useQuery(reading("policyViews", "failMatrix")).data;
  if (policyId === null) return [];
  const published = running?.find((it) => it.policy_id === policyId)?.hops;
  if (!staged && published) return published;
  const policy = policies?.find(({ id }) => id === policyId);
  const profile = profiles?.find(({ id }) => id === policy?.profile_id);
  return profile?.hops ?? policy?.hops ?? [];
}

interface KernelProps {
  readonly policyId: string | null;
  readonly outcome: string;
  readonly reason: string;
  readonly staged: boolean;
}

/** The compiled rule of the deciding policy, or of the default, which is identified by its reason. */
function Kernel({ policyId, outcome, reason, staged }: KernelProps) {
  const say = useWords().routing.asking;
  const nameOf = useNames();
  const rules = useQuery(everyRow("enforcement", "rules"));
  return (
    <Loaded query={rules}>
      {(all) => {
        const rule = all.find((it) => it.policy_id === policyId && (policyId !== null || it.reason === reason));
        if (!rule) return <p className="quiet">{policyId !== null && staged ? say.notCompiled : say.noKernel}</p>;
        return (
          <>
            <p className="quiet fine">{rule.outcome === outcome ? say.kernelHint : say.differs}</p>
            <dl className="routing-kernel">
              <dt className="quiet">{say.outcome}</dt>
              <dd>{say.outcomes[rule.outcome]}</dd>
              <dt className="quiet">{say.rank}</dt>
              <dd>{rule.rank}</dd>
              <dt className="quiet">{say.mark}</dt>
              <dd className="code">{rule.mark ?? "–"}</dd>
              <dt className="quiet">{say.table}</dt>
              <dd className="code">{rule.table ?? "–"}</dd>
              <dt className="quiet">{say.interfaces}</dt>
              <dd className="code">{rule.interfaces.join(", ") || "–"}</dd>
              <dt className="quiet">{say.reason}</dt>
              <dd className="wrap">{readable(rule.reason, nameOf)}</dd>
            </dl>
          </>
        );
      }}
    </Loaded>
  );
}
