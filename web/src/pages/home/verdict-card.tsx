import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Loaded } from "../../kit/page.tsx";
import { Sentence } from "../../kit/sentence.tsx";
import { State, type StateName } from "../../kit/state.tsx";
import { Ago } from "../../kit/time.tsx";
import { reading } from "../../line/reading.ts";
import { useLeakCheck } from "../../parts/privacy/leak-check.ts";
import { useFormat, useWords } from "../../words/words.tsx";
import { useLeaks } from "./leaks.ts";
import { type Counts, countsOf, type Known, stateOfVerdict, verdictOf } from "./verdict.ts";

/** One sentence, three counts, and when it was last tried whether the sentence holds. */
export function VerdictCard() {
  const { home: say } = useWords();
  const status = useQuery({ ...reading("status", "status"), refetchInterval: 5000 });
  const postures = useQuery({ ...reading("policyViews", "postures"), refetchInterval: 15_000 });
  const egress = useQuery({ ...reading("tunnels", "egress"), refetchInterval: 5000 });
  const { found } = useLeaks();
  return (
    <section className="card home-verdict" aria-label={say.verdict}>
      <Loaded query={status}>
        {(known) => (
          <Loaded query={postures}>
            {(counts) => (
              <Loaded query={egress}>
                {(ways) => (
                  <Verdict
                    known={{ status: known, postures: counts, egress: ways, foundLeaking: found.length }}
                    counts={countsOf(counts.devices, ways, found)}
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

function Verdict({ known, counts }: { readonly known: Known; readonly counts: Counts }) {
  const { home: say } = useWords();
  const verdict = verdictOf(known);
  const { title, detail } = say.verdicts(verdict);
  return (
    <>
      <Sentence state={stateOfVerdict(verdict)} title={title} detail={detail}>
        {verdict.kind === "nothing yet" && (
          <LinkButton kind="main" to="/start" needs={["routing", "create"]}>
            {say.setUp}
          </LinkButton>
        )}
      </Sentence>
      <ul className="home-counts">
        <Count state="protected" count={counts.protected} />
        <Count state="shut" count={counts.shut} />
        <Count state="direct" count={counts.direct} />
        {counts.leaking > 0 && <Count state="leaking" count={counts.leaking} />}
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

/** The last attack of the gateway on itself; it can be asked for one now. */
function LastCheck() {
  const { home: say, privacy } = useWords();
  const check = useLeakCheck();
  const { lastCheck, lastVerdict, found } = useLeaks();
  return (
    <div className="row spread">
      <p className="fine quiet">
        {lastCheck === null && say.neverChecked}
        {lastCheck != null && (
          <>
            {say.lastCheck(found.length, lastVerdict)} <Ago at={lastCheck} />.{" "}
            <Link href="/privacy">{privacy.toPrivacy}</Link>
          </>
        )}
      </p>
      <Button needs={["privacy", "leakCheck"]} busy={check.busy} onPress={() => check.run()}>
        {say.checkNow}
      </Button>
    </div>
  );
}
