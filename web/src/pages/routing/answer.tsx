import type { Hop } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Card, Loaded } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import type { Gateway } from "../../api/gateway.ts";
import { allRows, apiQuery } from "../../api/queries.ts";
import { readable, useNames } from "../../components/names.ts";
import { reasonFor } from "../../components/outcomes.ts";
import { stateOf, useRibbonHops } from "../../components/paths.ts";
import { Ribbon } from "../../components/ribbon.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import type { evaluationRequest } from "./evaluation-request.ts";
import { usePolicies } from "./policy-queries.ts";

type PacketForm = ReturnType<typeof evaluationRequest>;

interface AnswerProps {
  readonly request: PacketForm;
  readonly who: string;
  readonly down: readonly string[];
}

/** The path of one packet, the reasons, and the compiled kernel rule. */
export function Answer({ request, who, down }: AnswerProps) {
  const { routing } = useTranslation();
  const t = routing.explanation;
  const why = useReason();
  const answer = useQuery({ ...apiQuery("policyViews", "evaluate", { body: request }), retry: false });
  const nameOf = useNames();
  const hops = useHops(answer.data?.policy_id ?? null, request.staged);
  const ribbon = useRibbonHops()(hops).map((hop, index) => {
    const isDown = [hops[index]!.target, hop.name].some((word) => down.map(nameOf).includes(nameOf(word)));
    return isDown ? { ...hop, state: "down" as const } : hop;
  });
  return (
    <Card title={t.answer}>
      <Loaded query={answer}>
        {(evaluation) => {
          const { outcome, reason, trace, policy_id, exception_id } = evaluation;
          const state = stateOf(outcome, hops);
          return (
            <div className="stack">
              <State state={state} text={t.outcomes[outcome]} />
              <Ribbon
                from={who}
                fromName={who}
                hops={ribbon}
                state={state}
                now={readable(reasonFor(evaluation, why), nameOf)}
              />
              <div className="routing-explain">
                <section className="stack tight" aria-label={t.why}>
                  <h3>{t.why}</h3>
                  {exception_id !== null && <p>{t.exception}</p>}
                  {trace.length === 0 && exception_id === null && <p className="quiet">{t.noPolicy}</p>}
                  <Trace trace={trace} />
                </section>
                <section className="stack tight" aria-label={t.kernel}>
                  <h3>{t.kernel}</h3>
                  <Kernel policyId={policy_id} outcome={outcome} reason={reason} staged={request.staged} />
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
  const t = useTranslation().routing.explanation;
  const nameOf = useNames();
  const why = useReason();
  const [whole, setWhole] = useState(false);
  const numbered = trace.map((step, index) => ({ ...step, index: index + 1 }));
  const shown = whole || trace.length <= maxShort ? numbered : numbered.filter(({ matched }) => matched);
  return (
    <>
      <ol className="routing-trace">
        {shown.map(({ policy_id, name, decided, matched, index, ...explained }) => (
          <li key={policy_id} className={decided ? "decided" : ""} aria-current={decided ? "true" : undefined}>
            <span className="fine">{index}</span>
            <span>
              <span className="strong wrap">{name}</span>{" "}
              <span className="tag">{decided ? t.decided : matched ? t.passed : t.noMatch}</span>
              <br />
              <span className="fine wrap">{readable(why.line(explained), nameOf)}</span>
            </span>
          </li>
        ))}
      </ol>
      {shown.length < trace.length && (
        <div>
          <Button kind="quiet" onPress={() => setWhole(true)}>
            {t.showAll(trace.length - shown.length)}
          </Button>
        </div>
      )}
    </>
  );
}

const maxShort = 12;

/** The hops of the deciding policy: as applied, or as staged. */
function useHops(policyId: string | null, staged: boolean): readonly Hop[] {
  const policies = usePolicies().data;
  const profiles = useQuery({ ...allRows("profiles", "list"), staleTime: 30_000 }).data;
  const running = useQuery(apiQuery("policyViews", "failMatrix")).data;
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
  const t = useTranslation().routing.explanation;
  const nameOf = useNames();
  const why = useReason();
  const rules = useQuery(allRows("enforcement", "rules"));
  return (
    <Loaded query={rules}>
      {(all) => {
        const rule = all.find((it) => it.policy_id === policyId && (policyId !== null || it.reason === reason));
        if (!rule) return <p className="quiet">{policyId !== null && staged ? t.notCompiled : t.noKernel}</p>;
        return (
          <>
            <p className="quiet fine">{rule.outcome === outcome ? t.kernelHint : t.differs}</p>
            <dl className="routing-kernel">
              <dt className="quiet">{t.outcome}</dt>
              <dd>{t.outcomes[rule.outcome]}</dd>
              <dt className="quiet">{t.rank}</dt>
              <dd>{rule.rank}</dd>
              <dt className="quiet">{t.mark}</dt>
              <dd className="code">{rule.mark ?? "–"}</dd>
              <dt className="quiet">{t.table}</dt>
              <dd className="code">{rule.table ?? "–"}</dd>
              <dt className="quiet">{t.interfaces}</dt>
              <dd className="code">{rule.interfaces.join(", ") || "–"}</dd>
              <dt className="quiet">{t.reason}</dt>
              <dd className="wrap">{readable(why.line(rule), nameOf)}</dd>
            </dl>
          </>
        );
      }}
    </Loaded>
  );
}
