import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { Icon } from "../ui/icon.tsx";
import { useNow } from "../ui/time.tsx";
import { useFallbackInterval } from "../api/live.tsx";
import { apiQuery } from "../api/queries.ts";
import { useMay } from "../api/session.tsx";
import { KeepOrUndo } from "../components/keep-or-undo.tsx";
import { useFormat, useTranslation } from "../i18n/i18n.tsx";

/**
 * A change on trial is the most urgent notice: it is on every page until it is kept or reverted. Changes that wait for an
 * apply are a link.
 */
export function PendingBar({ staged: withStaged = true }: { readonly staged?: boolean }) {
  const t = useTranslation().shell.pending;
  const may = useMay();
  const shown = useQuery({
    ...apiQuery("changes", "show"),
    enabled: may(["changes", "show"]),
    refetchInterval: useFallbackInterval(5000),
  });
  const { pending = null, staged = [] } = shown.data ?? {};
  if (pending) return <Trial deadline={pending.deadline} count={pending.differences.length} />;
  return withStaged && staged.length > 0 ? (
    <Link href="/changes" className="staged-link" aria-label={t.staged(staged.length)}>
      <Icon name="changes" />
      <span className="desk-only">{t.staged(staged.length)}</span>
      <span className="phone-only">{staged.length}</span>
    </Link>
  ) : null;
}

interface Props {
  readonly deadline: string;
  readonly count: number;
}

function Trial({ deadline, count }: Props) {
  const t = useTranslation().shell.pending;
  const [now, format] = [useNow(), useFormat()];
  const left = Math.max(0, (new Date(deadline).getTime() - now.getTime()) / 1000);
  return (
    <section className="trial" aria-label={t.waits(count)}>
      <p>
        <Link href="/changes">
          <strong>{t.waits(count)}</strong>
        </Link>{" "}
        <span className="quiet">{t.left(format.countdown(left))}</span>
      </p>
      <div className="row">
        <KeepOrUndo />
      </div>
    </section>
  );
}
