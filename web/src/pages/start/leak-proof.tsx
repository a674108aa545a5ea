import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/page.tsx";
import { ProblemText } from "../../kit/problem.tsx";
import { gateway } from "../../line/gateway.ts";
import { useMay } from "../../line/session.tsx";
import { CheckVerdict } from "../../parts/privacy/check-verdict.tsx";
import { Findings } from "../../parts/privacy/findings.tsx";
import { summaryOfCheck } from "../../parts/privacy/verdicts.ts";
import { useWords } from "../../words/words.tsx";

/** Once everything is in force the gateway attacks itself, and says what came of it. */
export function LeakProof({ ready }: { readonly ready: boolean }) {
  const { start: say } = useWords();
  const may = useMay();
  const check = useQuery({
    // It tells of itself by an event that makes readings of `privacy` old: under that name it would never end.
    queryKey: ["start", "leak check"],
    queryFn: () => gateway.privacy.leakCheck({ body: {} }),
    enabled: ready && may(["privacy", "leakCheck"]),
    staleTime: "static",
    retry: false,
  });
  const { data, error, isFetching } = check;
  return (
    <Card
      title={say.leakCheck}
      actions={
        ready && (
          <Button needs={["privacy", "leakCheck"]} busy={isFetching} onPress={() => void check.refetch()}>
            {say.checkAgain}
          </Button>
        )
      }
    >
      {!ready && <p className="quiet">{say.leakWaits}</p>}
      {isFetching && (
        <p className="quiet" role="status">
          {say.leakRuns}
        </p>
      )}
      {error && !isFetching && <ProblemText problem={error} />}
      {data && !isFetching && <Result check={data} />}
    </Card>
  );
}

function Result({ check }: { readonly check: LeakCheck }) {
  const summary = summaryOfCheck(check);
  const findings = [...check.gateway, ...summary.found.flatMap((it) => it.findings)];
  return (
    <>
      <CheckVerdict check={check} summary={summary} />
      <Findings all={findings.slice(0, shownMost)} />
    </>
  );
}

const shownMost = 10;
