import type { AnomalyStats } from "@portcullis/contract/subsystems/anomalies";
import { useQuery } from "@tanstack/react-query";
import { Facts } from "../../ui/facts.tsx";
import { Card, Empty, LoadedCard } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { apiQuery } from "../../api/queries.ts";
import { DeviceLink } from "../../components/device-link.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";

/** Which detectors work, and how complete the baseline of each device is. */
export function BaselinesCard() {
  const { anomalies: t } = useTranslation();
  const [format, why] = [useFormat(), useReason()];
  const query = useQuery({ ...apiQuery("anomalies", "stats"), refetchInterval: 60_000 });
  return (
    <>
      <LoadedCard title={t.detectors} query={query}>
        {({ kinds }) => (
          <Facts
            all={kinds.map((it) => [
              t.kinds[it.kind],
              it.available ? t.counts(it.open, it.ended) : t.unavailable(why.clause(it)),
            ])}
          />
        )}
      </LoadedCard>
      {query.data && (
        <Card title={t.baselines}>
          <p className="quiet fine">
            {t.memory(
              query.data.devices.length,
              query.data.learning,
              format.bytes(query.data.memory_bytes),
              format.bytes(query.data.bytes_per_device),
            )}
          </p>
          <Devices stats={query.data} />
        </Card>
      )}
    </>
  );
}

function Devices({ stats: { devices, learning_days } }: { readonly stats: AnomalyStats }) {
  const { anomalies: t } = useTranslation();
  if (devices.length === 0) return <Empty text={t.noBaselines} />;
  return (
    <Table
      label={t.baselines}
      rows={devices}
      rowKey={({ device_id }) => device_id}
      columns={[
        {
          key: "device",
          title: t.device,
          width: "2fr",
          cell: ({ device_id, device_name }) => <DeviceLink id={device_id} name={device_name} />,
        },
        {
          key: "state",
          title: t.baseline,
          width: "2fr",
          cell: ({ state, observed_days }) =>
            state === "ready" ? t.ready : t.learning(Math.min(observed_days, learning_days), learning_days),
        },
        { key: "level", title: t.recorded, width: "2fr", cell: ({ log_level }) => t.levels[log_level] },
        { key: "open", title: t.openCount, right: true, cell: ({ open }) => open },
      ]}
    />
  );
}
