import { Link } from "wouter";
import { Button, LinkButton } from "../../ui/button.tsx";
import { GuideLink, Loaded, usePageHead } from "../../ui/page.tsx";
import { Glyph, State, type StateName, useShownState } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { useLeakCheck } from "../../components/privacy/leak-check.ts";
import { useLeaks } from "../../components/privacy/leaks.ts";
import { useVerdict } from "../../components/verdict/use-verdict.ts";
import { type Counts, stateOfVerdict, type Verdict } from "../../components/verdict/verdict.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

/** The verdict as a sentence, what was measured for it and when, and the devices by state. */
export function VerdictCard() {
  const { home: t, shell } = useTranslation();
  const head = usePageHead(shell.titles.home);
  const assessment = useVerdict();
  const verdict = assessment.kind === "assessed" || assessment.kind === "lost" ? assessment.verdict : undefined;
  const state = useShownState(verdict ? stateOfVerdict(verdict) : "unknown");
  // While nothing is enforced, the postures of policies are not counts of protected devices.
  const assessed = assessment.kind === "assessed" ? assessment : undefined;
  const isEnforced = assessed !== undefined && assessed.verdict.kind !== "not enforced";
  return (
    <section className={`verdict ${state}`} aria-label={t.verdict}>
      <span className="verdict-glyph">
        <Glyph state={state} />
      </span>
      <div className="verdict-text">
        <h1 ref={head} tabIndex={-1}>
          {verdict ? <Sentence verdict={verdict} /> : shell.titles.home}
        </h1>
        {verdict && <Detail verdict={verdict} />}
        {assessment.kind === "waiting" && <p className="quiet">{shell.state.reading}</p>}
        {assessment.kind === "failed" && <Loaded query={assessment.query}>{() => null}</Loaded>}
        {assessed?.failed && <Loaded query={assessed.failed}>{() => null}</Loaded>}
        {assessed && <Measured verified={isEnforced ? assessed.verified : null} />}
      </div>
      {assessed && isEnforced && <CountList counts={assessed.counts} />}
      <div className="verdict-actions">
        {verdict && <NextStep verdict={verdict} />}
        <GuideLink />
      </div>
    </section>
  );
}

const daySec = 86_400;

/** "Protected. No leak found for 12 days." Only the time between the first and the last check counts: it was measured. */
function Sentence({ verdict }: { readonly verdict: Verdict }) {
  const { home: t, time } = useTranslation();
  const format = useFormat();
  const { no_leak_since: since, last_check: last } = useLeaks().query.data ?? {};
  const { title } = textsOf(verdict, t, format);
  const measuredSec = since && last ? (Date.parse(last) - Date.parse(since)) / 1000 : 0;
  if (verdict.kind !== "protected") return <b>{title}</b>;
  return (
    <>
      <b>{title}</b>{" "}
      {measuredSec >= 60 &&
        t.noLeakFor(measuredSec >= daySec ? time.day(Math.floor(measuredSec / daySec)) : format.duration(measuredSec))}
    </>
  );
}

const textsOf = (
  verdict: Verdict,
  t: ReturnType<typeof useTranslation>["home"],
  format: ReturnType<typeof useFormat>,
) => t.verdicts(verdict.kind === "unreachable" ? { ...verdict, since: format.clock(verdict.since) } : verdict);

function Detail({ verdict }: { readonly verdict: Verdict }) {
  const { home: t } = useTranslation();
  return <p>{textsOf(verdict, t, useFormat()).detail}</p>;
}

/** When the last leak check ended, and when the kernel was last compared with what was published. */
function Measured({ verified }: { readonly verified: string | null }) {
  const { home: t } = useTranslation();
  const { lastCheck, lastVerdict, found, query } = useLeaks();
  const checks = query.data?.passed_checks ?? 0;
  return (
    <p className="fine">
      {lastCheck === null && t.neverChecked}
      {lastCheck != null && (
        <>
          <Link href="/privacy">
            {t.tested} <Ago at={lastCheck} />
          </Link>
          {": "}
          {t.result(found.length, lastVerdict, checks)}
        </>
      )}
      {verified !== null && (
        <>
          {" "}
          {t.verified} <Ago at={verified} />.
        </>
      )}
    </p>
  );
}

/** One action: what the verdict calls for, or another leak check. */
function NextStep({ verdict }: { readonly verdict: Verdict }) {
  const { home: t } = useTranslation();
  const check = useLeakCheck();
  if (verdict.kind === "nothing yet")
    return (
      <LinkButton kind="main" to="/start" needs={["routing", "create"]}>
        {t.setUp}
      </LinkButton>
    );
  if (verdict.kind === "no device")
    return (
      <LinkButton kind="main" to="/devices?do=add" needs={["devices", "create"]}>
        {t.addDevice}
      </LinkButton>
    );
  if (verdict.kind === "no internet")
    return (
      <LinkButton kind="main" to="/devices?posture=blocked">
        {t.seeBlocked}
      </LinkButton>
    );
  if (verdict.kind === "unreachable") return null;
  return (
    <Button needs={["privacy", "leakCheck"]} busy={check.busy} onPress={() => check.run()}>
      {check.progress ?? t.checkNow}
    </Button>
  );
}

const shown: readonly StateName[] = ["protected", "blocked", "direct", "leaking"];

function CountList({ counts }: { readonly counts: Counts }) {
  const { home: t } = useTranslation();
  const format = useFormat();
  return (
    <ul className="verdict-counts" aria-label={t.counts}>
      {shown.map((state) => {
        const count = counts[state as keyof Counts];
        return (
          <li key={state}>
            <Link href={`/devices?posture=${state}`} className={count === 0 ? "none" : ""}>
              <b>{format.number(count)}</b> {count === 0 ? <None state={state} /> : <State state={state} />}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

/** A state that no device has keeps its shape and word, without its colour. */
function None({ state }: { readonly state: StateName }) {
  const t = useTranslation().ui.states;
  return (
    <span className="state none">
      <Glyph state={state} />
      {t[state]}
    </span>
  );
}
