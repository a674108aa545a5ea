import type { CheckedDevice, LeakFinding } from "@portcullis/contract/subsystems/privacy";
import { State } from "../../ui/state.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { byCause } from "./verdicts.ts";
import "./privacy.css";
import { reasonIn, useReason } from "../../i18n/reason.ts";

/** Findings of a leak check by cause, each with its evidence. */
export function Findings({ all }: { readonly all: readonly LeakFinding[] }) {
  const t = useTranslation().privacy;
  const why = useReason();
  return (
    <ul className="leak-findings">
      {byCause(all).map(({ cause, severity, messages, evidence }) => (
        <li key={`${cause} ${severity}`} className={severity}>
          <p className="leak-cause">
            <span className="strong">{t.causes[cause] ?? cause}</span>
            <State state={severity === "leak" ? "leaking" : "direct"} text={t.severities[severity]} />
          </p>
          {messages.slice(0, maxMessages).map((message) => (
            <p key={message.reason} className="wrap">
              {why.line(message)}
            </p>
          ))}
          {messages.length > maxMessages && <p className="quiet">{t.check.moreOf(messages.length - maxMessages)}</p>}
          {evidence.length > 0 && (
            <details>
              <summary className="quiet fine">{t.check.evidence(evidence.length)}</summary>
              <EvidenceList all={evidence} />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

const maxMessages = 3;

type Evidence = CheckedDevice["evidence"][number];

/** The probe, the expected result and the actual result. */
export function EvidenceList({ all }: { readonly all: readonly Evidence[] }) {
  const t = useTranslation().privacy.check;
  const why = useReason();
  return (
    <ul className="leak-evidence fine">
      {all.map((it, index) => (
        // The same probe may occur twice.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={`${it.what} ${index}`}>
          <span className="code">{why.line(reasonIn("what", it))}</span>
          <dl>
            {it.expected !== it.found && (
              <div>
                <dt>{t.expected}</dt>
                <dd className="wrap">{why.clause(reasonIn("expected", it))}</dd>
              </div>
            )}
            <div>
              <dt>{it.expected === it.found ? t.asExpected : t.found}</dt>
              <dd className="wrap">{why.clause(reasonIn("found", it))}</dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  );
}
