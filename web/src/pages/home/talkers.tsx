import { Link } from "wouter";
import { iconOf } from "../../components/device-kind.ts";
import { useTraffic } from "../../components/traffic/use-traffic.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { Icon } from "../../ui/icon.tsx";
import { Card } from "../../ui/page.tsx";

const maxShown = 5;

/** The devices with the most traffic today. */
export function TopTalkers() {
  const { home: t } = useTranslation();
  const format = useFormat();
  const why = useReason();
  const { summary } = useTraffic();
  const bytes = (it: { readonly received_bytes_today: number; readonly sent_bytes_today: number }) =>
    it.received_bytes_today + it.sent_bytes_today;
  const devices = summary?.devices.filter((it) => bytes(it) > 0).toSorted((a, b) => bytes(b) - bytes(a)) ?? [];
  const others = devices.slice(maxShown);
  const most = devices[0] ? bytes(devices[0]) : 1;
  const ofOthers = others.reduce((sum, it) => sum + bytes(it), 0);
  return (
    <Card
      title={t.talkers.title}
      aside={summary && t.talkers.today(format.bytes(bytes(summary.total)))}
      actions={<Link href="/devices?sort=today">{t.talkers.all}</Link>}
    >
      {devices.length === 0 && summary && (
        <p className="quiet">{summary.measuring ? t.talkers.none : why.line(summary)}</p>
      )}
      <ul className="talkers">
        {devices.slice(0, maxShown).map((it) => (
          <li key={it.device_id}>
            <Icon name={iconOf({ name: it.device_name })} />
            <Link href={`/devices/${it.device_id}`} className="cut">
              {it.device_name}
            </Link>
            <span>{format.bytes(bytes(it))}</span>
            <span className="talkers-bar" aria-hidden="true">
              <i style={{ width: `${(100 * bytes(it)) / most}%` }} />
            </span>
          </li>
        ))}
        {others.length > 0 && (
          <li>
            <Icon name="more" />
            <span className="quiet">{t.talkers.others(others.length)}</span>
            <span className="quiet">{format.bytes(ofOthers)}</span>
            <span className="talkers-bar" aria-hidden="true">
              <i style={{ width: `${Math.min(100, (100 * ofOthers) / most)}%` }} />
            </span>
          </li>
        )}
      </ul>
    </Card>
  );
}
