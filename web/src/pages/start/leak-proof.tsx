import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemText } from "../../ui/problem.tsx";
import { gateway } from "../../api/gateway.ts";
import { useMay } from "../../api/session.tsx";
import { CheckVerdict } from "../../components/privacy/check-verdict.tsx";
import { Findings } from "../../components/privacy/findings.tsx";
import { summaryOfCheck } from "../../components/privacy/verdicts.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** Runs a leak check once everything is in force, and shows the result. */
export function LeakProof({ ready }: { readonly ready: boolean }) {
  const { start: t } = useTranslation();
  const may = useMay();
  const check = useQuery({
    // The check emits an event that invalidates `privacy` queries: under that key it would run in a loop.
    queryKey: ["start", "leak check"],
    queryFn: () => gateway.privacy.leakCheck({ body: {} }),
    enabled: ready && may(["privacy", "leakCheck"]),
    staleTime: "static",
    retry: false,
  });
  const { data, error, isFetching } = check;
  return (
    <Card
      title={t.leakCheck}
      actions={
        ready && (
          <Button needs={["privacy", "leakCheck"]} busy={isFetching} onPress={() => void check.refetch()}>
            {t.checkAgain}
          </Button>
        )
      }
    >
      {!ready && <p className="quiet">{t.leakWaits}</p>}
      {isFetching && (
        <p className="quiet" role="status">
          {t.leakRuns}
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
      <Findings all={findings.slice(0, maxShown)} />
    </>
  );
}

const maxShown = 10;
