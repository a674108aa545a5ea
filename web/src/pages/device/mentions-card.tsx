import type { Device } from "@portcullis/contract/subsystems/devices";
import { Link } from "wouter";
import { Card } from "../../ui/page.tsx";
import { ProblemText } from "../../ui/problem.tsx";
import { useMentions } from "../../components/device-mentions.ts";
import { useWords } from "../../i18n/i18n.tsx";

/** Entries that refer to this device only. */
export function MentionsCard({ device }: { readonly device: Device }) {
  const { device: words, kit } = useWords();
  const say = words.mentions;
  const { mentions, isReady, problem } = useMentions(device);
  return (
    <Card title={say.title}>
      {problem && <ProblemText problem={problem} />}
      {!isReady && <div className="skeleton" role="status" aria-label={kit.loading} />}
      {isReady && mentions.length === 0 && !problem && <p className="quiet">{say.none}</p>}
      <ul className="device-lines">
        {mentions.map(({ kind, id, name, to }) => (
          <li key={id}>
            <Link href={to} className="grow wrap">
              {name}
            </Link>
            <span className="tag">{say.kinds[kind]}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
