import { Link } from "wouter";
import { Glyph, useShownState } from "../ui/state.tsx";
import { useVerdict } from "../components/verdict/use-verdict.ts";
import { stateOfVerdict } from "../components/verdict/verdict.ts";
import { useTranslation } from "../i18n/i18n.tsx";

/** The verdict in one word, on every page; it leads to the page that explains it. */
export function StatePill() {
  const t = useTranslation().shell.state;
  const assessment = useVerdict();
  const verdict = assessment.kind === "assessed" || assessment.kind === "lost" ? assessment.verdict : undefined;
  const state = useShownState(verdict ? stateOfVerdict(verdict) : "unknown");
  const word = verdict ? t.words[verdict.kind] : assessment.kind === "failed" ? t.unread : t.reading;
  return (
    <Link href="/" className={`state-pill ${state}`} title={t.toHome}>
      <Glyph state={state} />
      {word}
    </Link>
  );
}
