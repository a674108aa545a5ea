import type { LeakAttempt, LeakMonitor } from "@portcullis/contract/subsystems/privacy";
import type { UseQueryResult } from "@tanstack/react-query";
import { LoadedCard } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { DeviceLink } from "../../components/device-link.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

/** Attempts of devices to leave outside their egress, the latest first. */
export function AttemptsCard({ monitor }: { readonly monitor: UseQueryResult<LeakMonitor, Error> }) {
  const t = useTranslation().privacy.attempts;
  const format = useFormat();
  const columns: Column<LeakAttempt>[] = [
    {
      key: "device",
      title: t.device,
      width: "1.4fr",
      cell: ({ device_id, name }) => <DeviceLink id={device_id} name={name} />,
    },
    { key: "kind", title: t.kind, width: "2fr", cell: ({ kind }) => t.kinds[kind] },
    { key: "packets", title: t.packets, width: "0.7fr", right: true, cell: ({ packets }) => format.number(packets) },
    {
      key: "last",
      title: t.last,
      width: "0.9fr",
      cell: ({ last_at }) => (
        <span className="quiet fine">
          <Ago at={last_at} />
        </span>
      ),
    },
  ];
  return (
    <LoadedCard title={t.title} query={monitor}>
      {({ attempts, counting_since }) => (
        <>
          <p className="quiet fine">
            {counting_since === null ? (
              t.off
            ) : (
              <>
                {t.text} {t.since} <Ago at={counting_since} />.
              </>
            )}
          </p>
          {attempts.length > 0 ? (
            <Table
              label={t.title}
              rows={attempts}
              columns={columns}
              rowKey={({ device_id, name, kind }) => `${device_id ?? name} ${kind}`}
            />
          ) : (
            counting_since !== null && <p className="quiet">{t.none}</p>
          )}
        </>
      )}
    </LoadedCard>
  );
}
