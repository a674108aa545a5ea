import { useQuery } from "@tanstack/react-query";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { reading } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useWords } from "../../i18n/i18n.tsx";

const shownMost = 6;

/** Devices that the gateway sees on the LAN and that match none of its own; the most recent first. */
export function UnknownDevices() {
  const say = useWords().devices.unknown;
  const may = useMay();
  const unknown =
    useQuery({ ...reading("devices", "unknown"), enabled: may(["devices", "unknown"]), refetchInterval: 10_000 })
      .data ?? [];
  if (unknown.length === 0) return null;
  return (
    <Card title={say.title(unknown.length)}>
      <ul className="devices-newcomers">
        {unknown.slice(0, shownMost).map(({ mac, addresses, interface: link, last_seen, first_seen }) => (
          <li key={mac}>
            <div className="grow">
              <span className="strong code">{mac}</span>
              <p className="quiet fine wrap">
                {[...addresses.slice(0, 2), link].join(" · ")} · {say.seen} <Ago at={last_seen ?? first_seen} />
              </p>
            </div>
            <LinkButton to={`/devices?do=add&mac=${encodeURIComponent(mac)}`} needs={["devices", "create"]}>
              {say.identify}
            </LinkButton>
          </li>
        ))}
      </ul>
      {unknown.length > shownMost && <p className="quiet">{say.more(unknown.length - shownMost)}</p>}
    </Card>
  );
}
