import { useQuery } from "@tanstack/react-query";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

const maxShown = 6;

/** Devices that the gateway sees on the LAN and that match none of its own; the most recent first. */
export function UnknownDevices() {
  const t = useTranslation().devices.unknown;
  const may = useMay();
  const unknown =
    useQuery({ ...apiQuery("devices", "unknown"), enabled: may(["devices", "unknown"]), refetchInterval: 10_000 })
      .data ?? [];
  if (unknown.length === 0) return null;
  return (
    <Card title={t.title(unknown.length)}>
      <ul className="devices-new">
        {unknown.slice(0, maxShown).map(({ mac, addresses, interface: link, last_seen, first_seen }) => (
          <li key={mac}>
            <div className="grow">
              <span className="strong code">{mac}</span>
              <p className="quiet fine wrap">
                {[...addresses.slice(0, 2), link].join(" · ")} · {t.seen} <Ago at={last_seen ?? first_seen} />
              </p>
            </div>
            <LinkButton to={`/devices?do=add&mac=${encodeURIComponent(mac)}`} needs={["devices", "create"]}>
              {t.identify}
            </LinkButton>
          </li>
        ))}
      </ul>
      {unknown.length > maxShown && <p className="quiet">{t.more(unknown.length - maxShown)}</p>}
    </Card>
  );
}
