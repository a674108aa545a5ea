import type { Device } from "@portcullis/contract/subsystems/devices";
import type { Hop } from "@portcullis/contract/subsystems/routing";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useAddress } from "../../ui/address.ts";
import { SelectField } from "../../ui/form.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemText } from "../../ui/problem.tsx";
import { State } from "../../ui/state.tsx";
import { reading } from "../../api/reading.ts";
import { reasonFor } from "../../components/outcomes.ts";
import { useNames } from "../../components/names.ts";
import { stateOf, useRibbonHops } from "../../components/paths.ts";
import { useLeaks } from "../../components/privacy/leaks.ts";
import { Ribbon } from "../../components/ribbon.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import {
  asSupposed,
  downChoices,
  type Evaluation,
  everythingDown,
  everythingUp,
  fareAlike,
  hopsUp,
  hopTargets,
  sourcesOf,
} from "./supposing.ts";
import { Why } from "./why.tsx";

/** The current path of the device, the reason, and the path if a hop were down. */
export function PathCard({ device }: { readonly device: Device }) {
  const { device: words, kit } = useWords();
  const say = words.path;
  const [supposed, suppose] = useAddress("if");
  const nameOf = useNames();
  const egress = useQuery(reading("tunnels", "egress")).data ?? [];
  const nowAsked = useEvaluations(device, undefined);
  const targets = hopTargets(egress, nowAsked.answers[0]?.evaluation.policy_id ?? null);
  const assumed = hopsUp(supposed, targets);
  const { answers, problem, isPending } = useEvaluations(device, assumed);
  const options = [
    { value: "", label: say.asItIs },
    ...downChoices(targets, nameOf, say.ifDown),
    ...(targets.length > 0
      ? [
          { value: everythingUp, label: say.ifAllUp },
          { value: everythingDown, label: say.ifAllDown },
        ]
      : []),
  ];
  const alike = answers.length > 0 && fareAlike(answers.map(({ evaluation }) => evaluation));
  const shown = alike ? answers.slice(0, 1) : answers;
  return (
    <Card title={say.title}>
      {problem && answers.length === 0 && <ProblemText problem={problem} />}
      {isPending && <div className="skeleton" role="status" aria-label={kit.loading} />}
      {shown.map(({ family, evaluation }) => (
        <div key={family ?? 0} className="stack tight">
          {!alike && family && <h3>{say.family(family)}</h3>}
          <OnePath device={device} evaluation={evaluation} assumed={assumed} egress={egress} />
        </div>
      ))}
      {options.length > 1 && (
        <div className="device-what-if">
          <SelectField label={say.whatIf} value={supposed} onChange={suppose} options={options} />
          {supposed !== "" && <p className="quiet fine">{say.supposed}</p>}
        </div>
      )}
    </Card>
  );
}

/** One evaluation per address family of the device; one without an address if it has none. */
function useEvaluations(device: Device, assumed: Readonly<Record<string, boolean>> | undefined) {
  const sources = sourcesOf(device.ips);
  const asked: readonly { readonly family?: 4 | 6; readonly source?: string }[] = sources.length > 0 ? sources : [{}];
  const all = useQueries({
    queries: asked.map(({ source }) =>
      reading("policyViews", "evaluate", {
        body: { device_id: device.id, ...(source && { source }), ...(assumed && { hops_up: assumed }) },
      }),
    ),
  });
  return {
    answers: all.flatMap(({ data }, place) => (data ? [{ family: asked[place]?.family, evaluation: data }] : [])),
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
  const ribbonHops = useRibbonHops();
  const hops = egress.find(({ policy_id }) => policy_id === evaluation.policy_id)?.hops ?? [];
  const isLeaking = useLeaks().found.some(({ device_id }) => device_id === device.id);
  const state = isLeaking && assumed === undefined ? "leaking" : stateOf(evaluation.outcome, hops);
  const drawn = asSupposed(
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
        now={reasonFor(evaluation)}
        aside={<State state={state} />}
      />
      <Why evaluation={evaluation} isQuarantined={device.state === "quarantined"} />
    </>
  );
}
