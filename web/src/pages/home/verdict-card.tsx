import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Loaded } from "../../kit/page.tsx";
import { Glyph, State, type StateName } from "../../kit/state.tsx";
import { Ago } from "../../kit/time.tsx";
import { useToast } from "../../kit/toasts.tsx";
import { reading, useAct } from "../../line/reading.ts";
import { useFormat, useWords } from "../../words/words.tsx";
import { type Known, leakingOf, stateOfVerdict, verdictOf } from "./verdict.ts";

/** One sentence, three counts, and when it was last looked at whether the sentence holds. */
export function VerdictCard() {
  const { home: say } = useWords();
  const status = useQuery({ ...reading("status", "status"), refetchInterval: 5000 });
  const postures = useQuery({ ...reading("policyViews", "postures"), refetchInterval: 15_000 });
  const egress = useQuery({ ...reading("tunnels", "egress"), refetchInterval: 5000 });
  return (
    <section className="card home-verdict" aria-label={say.verdict}>
      <Loaded query={status}>
        {(known) => (
          <Loaded query={postures}>
            {(counts) => (
              <Loaded query={egress}>
                {(ways) => (
                  <Sentence
                    known={{ status: known, postures: counts, egress: ways }}
                    leaking={leakingOf(counts.devices, ways)}
                  />
                )}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
      <LastCheck />
    </section>
  );
}

function Sentence({ known, leaking }: { readonly known: Known; readonly leaking: number }) {
  const { home: say } = useWords();
  const verdict = verdictOf(known);
  const state = stateOfVerdict(verdict);
  const { title, detail } = say.verdicts(verdict);
  return (
    <>
      <div className="home-sentence" role="status">
        <Glyph state={state} />
        <div>
          <p className={`state home-verdict-word ${state}`}>{title}</p>
          <p className="quiet">{detail}</p>
        </div>
        {verdict.kind === "nothing yet" && (
          <LinkButton kind="main" to="/start" needs={["routing", "create"]}>
            {say.setUp}
          </LinkButton>
        )}
      </div>
      <ul className="home-counts">
        <Count state="protected" count={known.postures.protected} />
        <Count state="shut" count={known.postures.shut} />
        <Count state="direct" count={known.postures.exposed - leaking} />
        {leaking > 0 && <Count state="leaking" count={leaking} />}
      </ul>
    </>
  );
}

interface CountProps {
  readonly state: StateName;
  readonly count: number;
}

function Count({ state, count }: CountProps) {
  const format = useFormat();
  return (
    <li>
      <Link href={`/devices?posture=${state}`} className="home-count">
        <span className="number">{format.number(count)}</span> <State state={state} />
      </Link>
    </li>
  );
}

/** The kernel is compared with what was asked for, all the time; here one sees when, and can ask for it now. */
function LastCheck() {
  const { home: say } = useWords();
  const toast = useToast();
  const report = useQuery({ ...reading("enforcement", "reconciler"), refetchInterval: 5000 });
  const check = useAct("enforcement", "reconcile", {
    renews: ["policyViews", "status", "tunnels"],
    onDone: ({ engines }) =>
      toast.done(say.checked(engines.filter(({ status }) => status === "failed").map((it) => it.name))),
  });
  return (
    <div className="row spread">
      <p className="fine quiet">
        {report.data?.last_run ? (
          <>
            {say.lastCheck(report.data.drift_count)} <Ago at={report.data.last_run} />
          </>
        ) : (
          say.neverChecked
        )}
      </p>
      <Button
        needs={["enforcement", "reconcile"]}
        busy={check.isPending}
        onPress={() => check.mutate({}, { onError: toast.failed })}
      >
        {say.checkNow}
      </Button>
    </div>
  );
}
