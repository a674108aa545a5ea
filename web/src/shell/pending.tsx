import { useQuery } from "@tanstack/react-query";
import { LinkButton } from "../ui/button.tsx";
import { useNow } from "../ui/time.tsx";
import { apiQuery } from "../api/queries.ts";
import { useMay } from "../api/session.tsx";
import { KeepOrUndo } from "../components/keep-or-undo.tsx";
import { useFormat, useTranslation } from "../i18n/i18n.tsx";

/** A change on trial is the most urgent notice: on top of every page until it is kept or reverted. */
export function PendingBar() {
  const may = useMay();
  const shown = useQuery({ ...apiQuery("changes", "show"), enabled: may(["changes", "show"]), refetchInterval: 5000 });
  const pending = shown.data?.pending;
  return pending ? <Bar deadline={pending.deadline} count={pending.differences.length} /> : null;
}

function Bar({ deadline, count }: { readonly deadline: string; readonly count: number }) {
  const t = useTranslation().shell.pending;
  const [now, format] = [useNow(), useFormat()];
  const left = Math.max(0, (new Date(deadline).getTime() - now.getTime()) / 1000);
  return (
    <section className="pending" aria-label={t.waits(count)}>
      <p>
        <strong>{t.waits(count)}.</strong> <span className="quiet">{t.left(format.countdown(left))}</span>
      </p>
      <div className="row">
        <LinkButton kind="quiet" to="/changes">
          {t.look}
        </LinkButton>
        <KeepOrUndo />
      </div>
    </section>
  );
}
