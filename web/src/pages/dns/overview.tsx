import type { DnsStatistics } from "@portcullis/contract/subsystems/dns-log";
import type { DnsStatus } from "@portcullis/contract/subsystems/dns";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { LinkButton } from "../../ui/button.tsx";
import { Chart } from "../../ui/chart.tsx";
import { Empty, Figure, LoadedCard } from "../../ui/page.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { PausesCard } from "../../components/pauses/pauses-card.tsx";
import { useEgressNames } from "../../components/egress-names.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { dnsLink } from "./addresses.ts";
import { bucketsOf, share } from "./buckets.ts";
import { PlaneState } from "./states.tsx";
import { TopClients, TopDomains } from "./top.tsx";

export function OverviewTab() {
  const may = useMay();
  const { everyone } = useTranslation().pauses;
  return (
    <>
      <StatusCard />
      <PausesCard target={{ source_type: "everyone", source_value: "", name: everyone }} />
      {may(["dnsLog", "statistics"]) && <Statistics />}
    </>
  );
}

function StatusCard() {
  const t = useTranslation().dns.overview;
  const status = useQuery({ ...apiQuery("dns", "status"), refetchInterval: 5000 });
  return (
    <LoadedCard title={t.status} query={status} lines={2}>
      {(data) => <StatusText status={data} />}
    </LoadedCard>
  );
}

function StatusText({ status }: { readonly status: DnsStatus }) {
  const { dns } = useTranslation();
  const format = useFormat();
  const t = dns.overview;
  const egressNames = useEgressNames();
  const why = useReason();
  const { egresses, dnssec, log } = status;
  return (
    <>
      <p className="row">
        <PlaneState status={status.status} />
        <span>{t.sentence(status.status, egressNames(why.clause(status)))}</span>
      </p>
      {egresses.length > 0 && (
        <ul className="stack tight">
          {egresses.map(({ egress, number, status: state, upstreams, ...explained }) => (
            <li key={number} className="row dns-egress">
              <span className="strong">{number === 0 ? t.noEgress : egressNames(egress)}</span>
              <PlaneState status={state} />
              <span className="quiet grow">
                {state === "running"
                  ? t.answering(upstreams.filter((it) => it.status === "up").length)
                  : why.line(explained)}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="quiet fine">
        {[
          t.listens(status.listen_addr),
          t.filtering(status.filtering_enabled, status.backend),
          dnssec.dates_ignored ? t.datesIgnored : t.dnssec(dnssec.enabled),
          log.dropped > 0 && t.dropped(format.number(log.dropped)),
        ]
          .filter(Boolean)
          .join(" ")}
      </p>
    </>
  );
}

function Statistics() {
  const t = useTranslation().dns.overview;
  const statistics = useQuery({ ...apiQuery("dnsLog", "statistics", { query: { top: 10 } }), refetchInterval: 5000 });
  return (
    <>
      <LoadedCard title={t.overTime} query={statistics} lines={8}>
        {(data) => <OverTime statistics={data} at={statistics.dataUpdatedAt} />}
      </LoadedCard>
      <div className="grid">
        <LoadedCard title={t.topDomains} query={statistics}>
          {({ top_names, top_names_rows }) => <TopDomains names={top_names} rows={top_names_rows} />}
        </LoadedCard>
        <LoadedCard title={t.topBlocked} query={statistics}>
          {({ top_blocked, top_names_rows }) => <TopDomains names={top_blocked} rows={top_names_rows} blocked />}
        </LoadedCard>
        <LoadedCard title={t.topClients} query={statistics}>
          {({ top_clients }) => <TopClients clients={top_clients} />}
        </LoadedCard>
      </div>
    </>
  );
}

function OverTime({ statistics, at }: { readonly statistics: DnsStatistics; readonly at: number }) {
  const t = useTranslation().dns.overview;
  const format = useFormat();
  const { queries, blocked, cached, minutes, log } = statistics;
  const buckets = useMemo(() => bucketsOf(minutes, at), [minutes, at]);
  const series = useMemo(
    () => [
      { name: t.queries, colour: "--accent", values: buckets.queries },
      { name: t.blocked, colour: "--direct", values: buckets.blocked },
    ],
    [t, buckets],
  );
  return (
    <>
      <div className="grid small">
        <Figure name={t.queries}>{format.number(queries)}</Figure>
        <Figure name={t.blockedShare}>{format.percent(share(blocked, queries))}</Figure>
        <Figure name={t.cachedShare}>{format.percent(share(cached, queries))}</Figure>
        <Figure name={t.logRows(format.number(log.rows_kept))}>{format.number(log.rows)}</Figure>
      </div>
      {queries === 0 ? (
        <Empty text={t.noQueries}>
          <LinkButton to={dnsLink("log")}>{t.toLog}</LinkButton>
        </Empty>
      ) : (
        <Chart label={t.overTime} times={buckets.times} series={series} unit={(value) => format.number(value, 0)} />
      )}
    </>
  );
}
