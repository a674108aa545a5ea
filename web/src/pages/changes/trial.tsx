import type { Changes } from "@portcullis/contract/subsystems/history";
import { Card } from "../../ui/page.tsx";
import { useNow } from "../../ui/time.tsx";
import { Differences } from "../../components/differences.tsx";
import { KeepOrUndo } from "../../components/keep-or-undo.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { actorText } from "./history-text.ts";

type Pending = NonNullable<Changes["pending"]>;

/** The change on trial, which is reverted unless it is kept. */
export function Trial({ pending }: { readonly pending: Pending }) {
  const t = useTranslation().changes;
  return (
    <Card title={t.trial} actions={<KeepOrUndo />}>
      <p>
        <Left deadline={pending.deadline} /> <span className="quiet">{t.trialBy(actorText(pending.actor, t))}</span>
      </p>
      <Differences all={pending.differences} />
    </Card>
  );
}

function Left({ deadline }: Pick<Pending, "deadline">) {
  const t = useTranslation().changes;
  const [now, format] = [useNow(), useFormat()];
  const left = Math.max(0, (Date.parse(deadline) - now.getTime()) / 1000);
  return <strong>{t.trialLeft(format.countdown(left))}</strong>;
}
