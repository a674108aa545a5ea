import type { Device } from "@portcullis/contract/subsystems/devices";
import type { TrafficDestination, TrafficHistory } from "@portcullis/contract/subsystems/traffic";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Chart } from "../../ui/chart.tsx";
import { Tabs } from "../../ui/floating.tsx";
import { Card, Loaded } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { Table } from "../../ui/table.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

const hourSec = 3600;
const ranges = {
  hour: { sec: hourSec, resolution: "raw", everyMs: 10_000 },
  day: { sec: 24 * hourSec, resolution: "minute", everyMs: 60_000 },
  week: { sec: 7 * 24 * hourSec, resolution: "hour", everyMs: 300_000 },
  month: { sec: 30 * 24 * hourSec, resolution: "day", everyMs: 300_000 },
} as const;
type Range = keyof typeof ranges;

const isRange = (text: string): text is Range => text in ranges;

/** Traffic of the device over time, and its largest destinations. */
export function TrafficCard({ device }: { readonly device: Device }) {
  const { title, ranges: names } = useTranslation().device.traffic;
  const [wanted, setWanted] = useSearchParam("range");
  const range = isRange(wanted) ? wanted : "hour";
  return (
    <Card title={title}>
      <Tabs
        label={title}
        shown={range}
        onShow={setWanted}
        tabs={(Object.keys(ranges) as Range[]).map((id) => ({
          id,
          label: names[id],
          content: () => <Period device={device} range={id} />,
        }))}
      />
    </Card>
  );
}

function Period({ device, range }: { readonly device: Device; readonly range: Range }) {
  const { sec, resolution, everyMs } = ranges[range];
  // Whole intervals, so that the query stays the same until the next one.
  const now = Math.ceil(Date.now() / everyMs) * everyMs;
  const since = new Date(now - sec * 1000).toISOString();
  const query = { device: device.id, since };
  const options = { refetchInterval: everyMs, placeholderData: <T,>(before: T) => before };
  const history = useQuery({ ...apiQuery("traffic", "history", { query: { ...query, resolution } }), ...options });
  const destinations = useQuery({
    ...apiQuery("traffic", "destinations", { query: { ...query, limit: 10 } }),
    ...options,
  });
  return (
    <>
      <Loaded query={history} lines={6}>
        {(found) => <Drawn history={found} />}
      </Loaded>
      <Loaded query={destinations}>{(rows) => <Destinations rows={rows} />}</Loaded>
    </>
  );
}

function Drawn({ history: { points, step_sec, sum } }: { readonly history: TrafficHistory }) {
  const t = useTranslation().device.traffic;
  const format = useFormat();
  const times = useMemo(() => points.map(({ timestamp }) => new Date(timestamp)), [points]);
  const series = useMemo(
    () => [
      { name: t.received, colour: "--accent", values: points.map((it) => it.received_bytes / step_sec) },
      { name: t.sent, colour: "--protected", values: points.map((it) => it.sent_bytes / step_sec) },
    ],
    [points, step_sec, t],
  );
  if (points.length === 0) return <p className="quiet">{t.unmeasured}</p>;
  return (
    <>
      <p>{t.sum(format.bytes(sum.received_bytes), format.bytes(sum.sent_bytes))}</p>
      <Chart label={t.title} times={times} series={series} unit={format.rate} />
    </>
  );
}

function Destinations({ rows }: { readonly rows: readonly TrafficDestination[] }) {
  const t = useTranslation().device.traffic;
  const format = useFormat();
  if (rows.length === 0) return <p className="quiet">{t.noDestinations}</p>;
  return (
    <Table
      label={t.destinations}
      rows={rows}
      rowKey={({ destination }) => destination ?? ""}
      columns={[
        {
          key: "destination",
          title: t.destination,
          width: "2fr",
          cell: ({ destination }) =>
            destination === null ? (
              <span className="quiet">{t.others}</span>
            ) : (
              <span className="wrap">{destination}</span>
            ),
        },
        { key: "received", title: t.received, right: true, cell: (it) => format.bytes(it.received_bytes) },
        { key: "sent", title: t.sent, right: true, cell: (it) => format.bytes(it.sent_bytes) },
      ]}
    />
  );
}
