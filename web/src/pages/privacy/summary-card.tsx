import type { PrivacyStatus } from "@portcullis/contract/subsystems/privacy";
import { Count, Counts } from "../../ui/counts.tsx";
import { Sentence } from "../../ui/sentence.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { stateOfSummary, summaryOf } from "./summary.ts";

interface Props {
  readonly status: PrivacyStatus;
  readonly counts: Readonly<Record<StateName, number>>;
  /** The filter of the list below. */
  readonly wanted: string;
  readonly onWant: (state: string) => void;
}

const shown = ["leaking", "direct", "blocked", "protected"] as const;

/** Counts of protected, blocked and direct devices. Pressing a count filters the list, pressing it again removes the filter. */
export function SummaryCard({ status, counts, wanted, onWant }: Props) {
  const t = useTranslation().privacy;
  const summary = summaryOf(counts, status);
  const { title, detail } = t.summaries(summary);
  return (
    <section className="card" aria-label={t.summary}>
      <Sentence state={stateOfSummary(summary)} title={title} detail={detail} />
      <Counts label={t.table.posture}>
        {shown
          .filter((it) => it !== "leaking" || counts.leaking > 0 || wanted === it)
          .map((it) => (
            <Count key={it} count={counts[it]} value={it} wanted={wanted} onWant={onWant}>
              <State state={it} />
            </Count>
          ))}
      </Counts>
    </section>
  );
}
