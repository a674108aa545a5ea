import type { Device } from "@portcullis/contract/subsystems/devices";
import { Link } from "wouter";
import { Card } from "../../ui/page.tsx";
import { ProblemText } from "../../ui/problem.tsx";
import { useMentions } from "../../components/device-mentions.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** Entries that refer to this device only. */
export function MentionsCard({ device }: { readonly device: Device }) {
  const { device: messages, ui } = useTranslation();
  const t = messages.mentions;
  const { mentions, isReady, problem } = useMentions(device);
  return (
    <Card title={t.title}>
      {problem && <ProblemText problem={problem} />}
      {!isReady && <div className="skeleton" role="status" aria-label={ui.loading} />}
      {isReady && mentions.length === 0 && !problem && <p className="quiet">{t.none}</p>}
      <ul className="device-lines">
        {mentions.map(({ kind, id, name, to }) => (
          <li key={id}>
            <Link href={to} className="grow wrap">
              {name}
            </Link>
            <span className="tag">{t.kinds[kind]}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
