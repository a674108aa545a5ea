import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Card } from "../../ui/page.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useMatters } from "./matters.tsx";

const maxShown = 4;

/** Items that need attention, the worst first, each with one action. */
export function Attention() {
  const { home: t } = useTranslation();
  const matters = useMatters();
  const [all, setAll] = useState(false);
  if (!matters) return <Card title={t.attentionTitle}>{null}</Card>;
  const hidden = matters.length - maxShown;
  return (
    <Card title={t.attention(matters.length)}>
      {matters.length === 0 && <p className="quiet">{t.nothingWaits}</p>}
      <ul className="attention">
        {(all ? matters : matters.slice(0, maxShown)).map(({ key, icon, tone, title, detail, action }) => (
          <li key={key} className={tone}>
            <span className="attention-sign">
              <Icon name={icon} />
            </span>
            <div>
              <p className="wrap">{title}</p>
              {detail && <p className="quiet wrap">{detail}</p>}
            </div>
            {action}
          </li>
        ))}
      </ul>
      {hidden > 0 && !all && (
        <Button kind="quiet" onPress={() => setAll(true)}>
          {t.moreMatters(hidden)}
        </Button>
      )}
    </Card>
  );
}
