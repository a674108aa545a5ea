import type { ReactNode } from "react";
import { Icon } from "../../ui/icon.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

interface CheckProps {
  readonly state: "good" | "bad" | "waiting";
  readonly children: ReactNode;
}

const icons = { good: "check", bad: "warn", waiting: "refresh" } as const;
const colours = { good: "protected", bad: "direct", waiting: "unknown" } as const;

/** One check with its result. */
export function Check({ state, children }: CheckProps) {
  const { start: t } = useTranslation();
  return (
    <li className="start-check">
      <span className={`state ${colours[state]}`}>
        <Icon name={icons[state]} />
        <span className="unseen">{t.checks[state]}</span>
      </span>
      <span className="wrap">{children}</span>
    </li>
  );
}
