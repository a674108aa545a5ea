import type { DnsStatistics } from "@portcullis/contract/subsystems/dns-log";
import type { DnsStatus } from "@portcullis/contract/subsystems/dns";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { LinkButton } from "../../ui/button.tsx";
import { Chart } from "../../ui/chart.tsx";
import { Empty, Figure, LoadedCard } from "../../ui/page.tsx";
import { reading } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useWayNames } from "../../components/egress-names.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { dnsPlace } from "./addresses.ts";
import { bucketsOf, share } from "./buckets.ts";
import { PlaneState } from "./states.tsx";
import { TopClients, TopNames } from "./top.tsx";

export function OverviewTab() {
  const may = useMay();
  return (
    <>
      <StatusCard />
      {may(["dnsLog", "statistics"]) && <Statistics />}
    </>
  );
}

function StatusCard() {
  const say = useWords().dns.overview;
  const status = useQuery({ ...reading("dns", "status"), refetchInterval: 5000 });
  return (
    <LoadedCard title={say.status} query={status} lines={2}>
      {(data) => <StatusText status={data} />}
    </LoadedCard>
  );
}

function StatusText({ status }: { readonly status: DnsStatus }) {
  const { dns } = useWords();
  const format = useFormat();
  const say = dns.overview;
  const wayNames = useWayNames();
  const { egresses, dnssec, log } = status;
  return (
    <>
      <p className="row">
        <PlaneState status={status.status} />
        <span>{say.sentence(status.status, wayNames(status.reason))}</span>
      </p>
      {egresses.length > 0 && (
        <ul className="stack tight">
          {egresses.map(({ egress, number, status: state, reason, upstreams }) => (
            <li key={number} className="row dns-way">
              <span className="strong">{number === 0 ? say.noWay : wayNames(egress)}</span>
              <PlaneState status={state} />
              <span className="quiet grow">
                {state === "running" ? say.answering(upstreams.filter((it) => it.status === "up").length) : reason}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="quiet fine">
        {[
          say.listens(status.listen_addr),
          say.filtering(status.filtering_enabled, status.backend),
          dnssec.dates_ignored ? say.datesIgnored : say.dnssec(dnssec.enabled),
          log.dropped > 0 && say.dropped(format.number(log.dropped)),
        ]
          .filter(Boolean)
          .join(" ")}
      </p>
    </>
  );
}

function Statistics() {
  const say = useWords().dns.overview;
  const statistics = useQuery({ ...reading("dnsLog", "statistics", { query: { top: 10 } }), refetchInterval: 5000 });
  return (
    <>
      <LoadedCard title={say.overTime} query={statistics} lines={8}>
        {(data) => <OverTime statistics={data} at={statistics.dataUpdatedAt} />}
      </LoadedCard>
      <div className="grid">
        <LoadedCard title={say.topNames} query={statistics}>
          {({ top_names, top_names_rows }) => <TopNames names={top_names} rows={top_names_rows} />}
        </LoadedCard>
        <LoadedCard title={say.topBlocked} query={statistics}>
          {({ top_blocked, top_names_rows }) => <TopNames names={top_blocked} rows={top_names_rows} blocked />}
        </LoadedCard>
        <LoadedCard title={say.topClients} query={statistics}>
          {({ top_clients }) => <TopClients clients={top_clients} />}
        </LoadedCard>
      </div>
    </>
  );
}

function OverTime({ statistics, at }: { readonly statistics: DnsStatistics; readonly at: number }) {
  const say = useWords().dns.overview;
  const format = useFormat();
  const { queries, blocked, cached, minutes, log } = statistics;
  const buckets = useMemo(() => bucketsOf(minutes, at), [minutes, at]);
  const series = useMemo(
    () => [
      { name: say.queries, colour: "--accent", values: buckets.queries },
      { name: say.blocked, colour: "--direct", values: buckets.blocked },
    ],
    [say, buckets],
  );
  return (
    <>
      <div className="grid small">
        <Figure name={say.queries}>{format.number(queries)}</Figure>
        <Figure name={say.blockedShare}>{format.percent(share(blocked, queries))}</Figure>
        <Figure name={say.cachedShare}>{format.percent(share(cached, queries))}</Figure>
        <Figure name={say.logRows(format.number(log.rows_kept))}>{format.number(log.rows)}</Figure>
      </div>
      {queries === 0 ? (
        <Empty says={say.nobodyAsked}>
          <LinkButton to={dnsPlace("log")}>{say.toLog}</LinkButton>
        </Empty>
      ) : (
        <Chart label={say.overTime} times={buckets.times} series={series} unit={(value) => format.number(value, 0)} />
      )}
    </>
  );
}
