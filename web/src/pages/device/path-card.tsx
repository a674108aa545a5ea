import type { Device } from "@portcullis/contract/subsystems/devices";
import type { Hop } from "@portcullis/contract/subsystems/routing";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useSearchParam } from "../../ui/search-param.ts";
import { SelectField } from "../../ui/form.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemText } from "../../ui/problem.tsx";
import { State } from "../../ui/state.tsx";
import { apiQuery } from "../../api/queries.ts";
import { reasonFor } from "../../components/outcomes.ts";
import { useNames } from "../../components/names.ts";
import { stateOf, useRibbonHops } from "../../components/paths.ts";
import { useLeaks } from "../../components/privacy/leaks.ts";
import { Ribbon } from "../../components/ribbon.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import {
  withSimulation,
  downChoices,
  type Evaluation,
  allDown,
  allUp,
  haveSameOutcome,
  hopsUp,
  hopTargets,
  sourcesOf,
} from "./simulation.ts";
import { Why } from "./why.tsx";

/** The current path of the device, the reason, and the path if a hop were down. */
export function PathCard({ device }: { readonly device: Device }) {
  const { device: messages, ui } = useTranslation();
  const t = messages.path;
  const [simulated, simulate] = useSearchParam("if");
  const nameOf = useNames();
  const egress = useQuery(apiQuery("tunnels", "egress")).data ?? [];
  const current = useEvaluations(device, undefined);
  const targets = hopTargets(egress, current.answers[0]?.evaluation.policy_id ?? null);
  const assumed = hopsUp(simulated, targets);
  const { answers, problem, isPending } = useEvaluations(device, assumed);
  const options = [
    { value: "", label: t.currentState },
    ...downChoices(targets, nameOf, t.ifDown),
    ...(targets.length > 0
      ? [
          { value: allUp, label: t.ifAllUp },
          { value: allDown, label: t.ifAllDown },
        ]
      : []),
  ];
  const alike = answers.length > 0 && haveSameOutcome(answers.map(({ evaluation }) => evaluation));
  const shown = alike ? answers.slice(0, 1) : answers;
  return (
    <Card title={t.title}>
      {problem && answers.length === 0 && <ProblemText problem={problem} />}
      {isPending && <div className="skeleton" role="status" aria-label={ui.loading} />}
      {shown.map(({ family, evaluation }) => (
        <div key={family ?? 0} className="stack tight">
          {!alike && family && <h3>{t.family(family)}</h3>}
          <OnePath device={device} evaluation={evaluation} assumed={assumed} egress={egress} />
        </div>
      ))}
      {options.length > 1 && (
        <div className="device-what-if">
          <SelectField label={t.whatIf} value={simulated} onChange={simulate} options={options} />
          {simulated !== "" && <p className="quiet fine">{t.simulated}</p>}
        </div>
      )}
    </Card>
  );
}

/** One evaluation per address family of the device; one without an address if it has none. */
function useEvaluations(device: Device, assumed: Readonly<Record<string, boolean>> | undefined) {
  const sources = sourcesOf(device.ips);
  const requests: readonly { readonly family?: 4 | 6; readonly source?: string }[] =
    sources.length > 0 ? sources : [{}];
  const all = useQueries({
    queries: requests.map(({ source }) =>
      apiQuery("policyViews", "evaluate", {
        body: { device_id: device.id, ...(source && { source }), ...(assumed && { hops_up: assumed }) },
      }),
    ),
  });
  return {
    answers: all.flatMap(({ data }, index) => (data ? [{ family: requests[index]?.family, evaluation: data }] : [])),
    problem: all.find(({ error }) => error)?.error ?? null,
    isPending: all.every(({ data, error }) => !data && !error),
  };
}

interface OnePathProps {
  readonly device: Device;
  readonly evaluation: Evaluation;
  readonly assumed: Readonly<Record<string, boolean>> | undefined;
  readonly egress: readonly {
    readonly policy_id: string;
    readonly hops: readonly { type: string; target: string }[];
  }[];
}

function OnePath({ device, evaluation, assumed, egress }: OnePathProps) {
  const why = useReason();
  const ribbonHops = useRibbonHops();
  const hops = egress.find(({ policy_id }) => policy_id === evaluation.policy_id)?.hops ?? [];
  const isLeaking = useLeaks().found.some(({ device_id }) => device_id === device.id);
  const state = isLeaking && assumed === undefined ? "leaking" : stateOf(evaluation.outcome, hops);
  const drawn = withSimulation(
    ribbonHops(hops as readonly Hop[]),
    hops.map(({ target }) => target),
    assumed,
  );
  return (
    <>
      <Ribbon
        from={<span className="strong">{device.name}</span>}
        fromName={device.name}
        hops={drawn}
        state={state}
        now={reasonFor(evaluation, why)}
        aside={<State state={state} />}
      />
      <Why evaluation={evaluation} isQuarantined={device.state === "quarantined"} />
    </>
  );
}
