import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Chart } from "../../ui/chart.tsx";
import { Card, Empty, Loaded } from "../../ui/page.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { countedTogether, useFlows } from "../../components/flows.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { lastHour } from "./hour.ts";

export function DnsHour() {
  const { home: t } = useTranslation();
  const statistics = useQuery({ ...apiQuery("dnsLog", "statistics", { query: { top: 1 } }), refetchInterval: 10_000 });
  return (
    <Card title={t.dnsHour}>
      <Loaded query={statistics} lines={6}>
        {({ minutes }) => <Minutes minutes={minutes} />}
      </Loaded>
    </Card>
  );
}

type Minute = Parameters<typeof lastHour>[0][number];

function Minutes({ minutes }: { readonly minutes: readonly Minute[] }) {
  const { home: t } = useTranslation();
  const format = useFormat();
  const hour = useMemo(() => lastHour(minutes, new Date()), [minutes]);
  const series = useMemo(
    () => [
      { name: t.queries, colour: "--accent", values: hour.queries },
      { name: t.blocked, colour: "--blocked", values: hour.blocked },
    ],
    [hour, t],
  );
  if (minutes.length === 0) return <Empty text={t.noQueries} />;
  return <Chart label={t.dnsHour} times={hour.times} series={series} unit={format.number} />;
}

const drawn = 240;
const everyMs = 2000;

/** Live, from the moment when the page is opened, at two seconds; the total of today comes from the history. */
export function TrafficNow() {
  const { home: t } = useTranslation();
  const format = useFormat();
  const { data, dataUpdatedAt } = useQuery({ ...apiQuery("interfaces", "list"), refetchInterval: everyMs });
  const uplinks = data?.filter(({ role }) => role === "uplink");
  const flows = useFlows(uplinks && [countedTogether("uplinks", uplinks)], dataUpdatedAt);
  const rates = useMemo(() => flows.get("uplinks")?.rates.slice(-drawn) ?? [], [flows]);
  const times = useMemo(() => rates.map(({ at }) => new Date(at)), [rates]);
  const series = useMemo(
    () => [
      { name: t.received, colour: "--accent", values: rates.map(({ rx }) => rx) },
      { name: t.sent, colour: "--protected", values: rates.map(({ tx }) => tx) },
    ],
    [rates, t],
  );
  return (
    <Card title={t.traffic}>
      {times.length < 2 ? (
        <p className="quiet chart-space">{t.measuring}</p>
      ) : (
        <Chart label={t.traffic} times={times} series={series} unit={format.rate} />
      )}
      <Today />
    </Card>
  );
}

function Today() {
  const { home: t } = useTranslation();
  const format = useFormat();
  const may = useMay()(["traffic", "summary"]);
  const { data } = useQuery({ ...apiQuery("traffic", "summary"), enabled: may, refetchInterval: 10_000 });
  if (!data?.measuring) return null;
  const { received_bytes_today: received, sent_bytes_today: sent } = data.total;
  return <p className="quiet fine">{t.today(format.bytes(received), format.bytes(sent))}</p>;
}
