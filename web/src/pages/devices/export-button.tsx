import { totalRate, type DeviceTraffic } from "../../components/traffic/rates.ts";
import type { Belongings } from "../../components/effective-class.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { Button } from "../../ui/button.tsx";
import { groupsOf } from "./device-table.tsx";
import { csvOf, download } from "./export.ts";
import type { Row } from "./finding.ts";

interface Props {
  readonly rows: readonly Row[];
  readonly traffic: ReadonlyMap<string, DeviceTraffic> | undefined;
  readonly online: ReadonlySet<string> | undefined;
  readonly belongings: Belongings;
}

/** The rows as they are shown, in a file for spreadsheets: names of columns and states are those of the API. */
export function ExportButton({ rows, traffic, online, belongings }: Props) {
  const t = useTranslation().devices;
  const save = () => download("devices.csv", "text/csv;charset=utf-8", csvOf([columns, ...rows.map(valuesOf)]));
  const valuesOf = ({ device, deviceState }: Row) => {
    const measured = traffic?.get(device.id);
    return [
      device.name,
      device.mac,
      device.ips.join(" "),
      device.hostname,
      device.vendor,
      groupsOf(device, belongings, (names) => names.join(" ")),
      device.state,
      deviceState.state,
      deviceState.hops.join(" > "),
      online ? String(online.has(device.id)) : null,
      totalRate(measured),
      measured ? measured.received_bytes_today : null,
      measured ? measured.sent_bytes_today : null,
      device.last_seen,
    ];
  };
  return (
    <Button icon="download" onPress={save}>
      {t.export}
    </Button>
  );
}

const columns = [
  "name",
  "mac",
  "ips",
  "hostname",
  "vendor",
  "groups",
  "state",
  "protection",
  "path",
  "online",
  "bytes_per_sec",
  "received_bytes_today",
  "sent_bytes_today",
  "last_seen",
];
