import type { Status } from "@portcullis/contract/subsystems/status";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { Link } from "wouter";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Loaded } from "../../ui/page.tsx";
import { Sentence } from "../../ui/sentence.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { useConnection } from "../../api/live.tsx";
import { apiQuery } from "../../api/queries.ts";
import { filteringOf } from "../../components/filtering.ts";
import { useLeakCheck } from "../../components/privacy/leak-check.ts";
import { useLeaks } from "../../components/privacy/leaks.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { type ReasonTexts, useReason } from "../../i18n/reason.ts";
import { type Counts, countsOf, stateOfVerdict, type Verdict, verdictOf } from "./verdict.ts";

/** The verdict, three counts, and the time of the last check. */
export function VerdictCard() {
  const { home: t } = useTranslation();
  const status = useQuery({ ...apiQuery("status", "status"), refetchInterval: 5000 });
  const postures = useQuery({ ...apiQuery("policyViews", "postures"), refetchInterval: 15_000 });
  const egress = useQuery({ ...apiQuery("tunnels", "egress"), refetchInterval: 5000 });
  const kernel = useQuery({ ...apiQuery("enforcement", "reconciler"), refetchInterval: 10_000 });
  const dns = useQuery({ ...apiQuery("dns", "status"), refetchInterval: 10_000 });
  const leaks = useLeaks();
  const why = useReason();
  const lostSince = useLostSince(status);
  // No verdict before everything is read: the missing part could be the faulty one.
  const waited = [status, postures, egress, kernel, dns, leaks.query] as readonly UseQueryResult<unknown>[];
  const isWhole = status.data && postures.data && egress.data && kernel.data && dns.data && leaks.query.data;
  const failed = waited.find((it) => it.data === undefined) ?? waited.find((it) => it.error);
  return (
    <section className="card home-verdict" aria-label={t.verdict}>
      {failed && !lostSince && <Loaded query={failed}>{() => null}</Loaded>}
      {lostSince && <VerdictSentence verdict={{ kind: "unreachable", since: lostSince }} />}
      {isWhole && !lostSince && (
        <Assessed
          verdict={verdictOf({
            lostSince,
            status: { ...status.data, not_enforced: notEnforced(status.data, why) },
            kernel: kernel.data,
            postures: postures.data,
            egress: egress.data,
            foundLeaking: leaks.found.length,
            lastCheck: leaks.lastVerdict,
            filtering: filteringOf(dns.data),
          })}
          counts={countsOf(postures.data.devices, leaks.found)}
          verified={kernel.data.last_run}
        />
      )}
    </section>
  );
}

const notEnforced = ({ not_enforced: reason, coded_not_enforced }: Status, why: ReasonTexts): string | null =>
  reason === null ? null : why.line({ reason, coded_reason: coded_not_enforced });

interface AssessedProps {
  readonly verdict: Verdict;
  readonly counts: Counts;
  readonly verified: string | null;
}

/** While nothing is enforced, the postures of policies are not counts of protected devices. */
function Assessed({ verdict, counts, verified }: AssessedProps) {
  const isEnforced = verdict.kind !== "not enforced";
  return (
    <>
      <VerdictSentence verdict={verdict} />
      {isEnforced && <CountList counts={counts} />}
      <LastCheck verified={isEnforced ? verified : null} />
    </>
  );
}

/** Since when the gateway does not respond: by the event stream, or by a failed request. */
function useLostSince({ error, dataUpdatedAt }: UseQueryResult<unknown>): Date | undefined {
  const { state, since } = useConnection();
  if (state === "stale") return since;
  return error instanceof TypeError && dataUpdatedAt > 0 ? new Date(dataUpdatedAt) : undefined;
}

function VerdictSentence({ verdict }: { readonly verdict: Verdict }) {
  const { home: t } = useTranslation();
  const format = useFormat();
  const { title, detail } = t.verdicts(
    verdict.kind === "unreachable" ? { ...verdict, since: format.clock(verdict.since) } : verdict,
  );
  return (
    <Sentence state={stateOfVerdict(verdict)} title={title} detail={detail}>
      {verdict.kind === "nothing yet" && (
        <LinkButton kind="main" to="/start" needs={["routing", "create"]}>
          {t.setUp}
        </LinkButton>
      )}
      {verdict.kind === "no device" && (
        <LinkButton kind="main" to="/devices?do=add" needs={["devices", "create"]}>
          {t.addDevice}
        </LinkButton>
      )}
      {verdict.kind === "no internet" && (
        <LinkButton kind="main" to="/devices?posture=blocked">
          {t.seeBlocked}
        </LinkButton>
      )}
    </Sentence>
  );
}

function CountList({ counts }: { readonly counts: Counts }) {
  return (
    <ul className="home-counts">
      <Count state="protected" count={counts.protected} />
      <Count state="blocked" count={counts.blocked} />
      <Count state="direct" count={counts.direct} />
      {counts.leaking > 0 && <Count state="leaking" count={counts.leaking} />}
    </ul>
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

/** Time of the last kernel comparison and of the last leak check; a new one can be started. */
function LastCheck({ verified }: { readonly verified: string | null }) {
  const { home: t, privacy } = useTranslation();
  const check = useLeakCheck();
  const { lastCheck, lastVerdict, found } = useLeaks();
  return (
    <div className="row spread">
      <p className="fine quiet">
        {verified !== null && (
          <>
            {t.verified} <Ago at={verified} />.{" "}
          </>
        )}
        {lastCheck === null && t.neverChecked}
        {lastCheck != null && (
          <>
            {t.lastCheck(found.length, lastVerdict)} <Ago at={lastCheck} />.{" "}
            <Link href="/privacy">{privacy.toPrivacy}</Link>
          </>
        )}
      </p>
      <Button needs={["privacy", "leakCheck"]} busy={check.busy} onPress={() => check.run()}>
        {check.progress ?? t.checkNow}
      </Button>
    </div>
  );
}
