import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { Link } from "wouter";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTraffic } from "../../components/traffic/use-traffic.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { sparkPaths } from "../../ui/spark.ts";
import { lastHour } from "./hour.ts";

/** Now, today and the last hour: what is received, sent, queried and blocked. */
export function Tiles() {
  const may = useMay();
  return (
    <div className="tiles">
      {may(["traffic", "summary"]) && <TrafficTiles />}
      {may(["dnsLog", "statistics"]) && <DnsTiles />}
    </div>
  );
}

/** A minute is written when it is over. */
const minuteMs = 60_000;

function TrafficTiles() {
  const { home } = useTranslation();
  const t = home.tiles;
  const format = useFormat();
  const { summary } = useTraffic();
  const since = new Date(Math.floor(Date.now() / minuteMs) * minuteMs - 60 * minuteMs).toISOString();
  const history = useQuery({
    ...apiQuery("traffic", "history", { query: { since, resolution: "minute" } }),
    refetchInterval: minuteMs,
    placeholderData: (before) => before,
  }).data;
  const perSec = (field: "received_bytes" | "sent_bytes") =>
    history?.points.map((it) => it[field] / history.step_sec) ?? [];
  const total = summary?.total;
  const figure = (rate: number | null | undefined): string =>
    summary?.measuring && rate != null ? format.rate(rate) : "–";
  return (
    <>
      <Tile
        icon="down"
        series={1}
        name={t.download}
        to="/devices?sort=rate"
        figure={figure(total?.received_bytes_per_sec)}
        end={total && t.today(format.bytes(total.received_bytes_today))}
        values={perSec("received_bytes")}
        unit={format.rate}
      />
      <Tile
        icon="up"
        series={2}
        name={t.upload}
        to="/devices?sort=rate"
        figure={figure(total?.sent_bytes_per_sec)}
        end={total && t.today(format.bytes(total.sent_bytes_today))}
        values={perSec("sent_bytes")}
        unit={format.rate}
      />
    </>
  );
}

/** Queries have no event of their own: a visible page requests the statistics. */
const dnsEveryMs = 30_000;

function DnsTiles() {
  const t = useTranslation().home.tiles;
  const format = useFormat();
  const statistics = useQuery({
    ...apiQuery("dnsLog", "statistics", { query: { top: 1 } }),
    refetchInterval: dnsEveryMs,
  }).data;
  const hour = useMemo(() => lastHour(statistics?.minutes ?? [], new Date()), [statistics]);
  const [queries, blocked] = [hour.queries, hour.blocked].map((it) => it.reduce((sum, count) => sum + count, 0)) as [
    number,
    number,
  ];
  const perMinute = (count: number) => t.perMinute(format.number(count));
  return (
    <>
      <Tile
        icon="dns"
        series={3}
        name={t.queries}
        to="/dns?tab=log"
        figure={statistics ? format.number(queries) : "–"}
        end={statistics && t.inDay(format.number(statistics.queries))}
        values={hour.queries}
        unit={perMinute}
      />
      <Tile
        icon="blocked"
        series="blocked"
        name={t.blocked}
        to="/dns?tab=log&verdict=block"
        figure={statistics ? format.number(blocked) : "–"}
        beside={queries > 0 ? format.percent(blocked / queries) : undefined}
        end={statistics && t.inDay(format.number(statistics.blocked))}
        values={hour.blocked}
        unit={perMinute}
      />
    </>
  );
}

interface TileProps {
  readonly icon: IconName;
  readonly series: 1 | 2 | 3 | "blocked";
  readonly name: string;
  readonly to: string;
  readonly figure: string;
  readonly beside?: ReactNode;
  readonly end?: ReactNode;
  /** Of the last hour, the newest last. */
  readonly values: readonly number[];
  readonly unit: (value: number) => string;
}

const box = { width: 280, height: 44 } as const;

function Tile({ icon, series, name, to, figure, beside, end, values, unit }: TileProps) {
  const t = useTranslation().home.tiles;
  const { line, area } = sparkPaths(values, box);
  const colour = series === "blocked" ? "var(--blocked)" : `var(--series-${series})`;
  return (
    <Link href={to} className="card tile">
      <span className="tile-name" style={{ color: colour }}>
        <Icon name={icon} />
        <span className="quiet">{name}</span>
        <span className="quiet tile-end">{t.lastHour}</span>
      </span>
      <span className="tile-figure">
        <b>{figure}</b>
        {beside !== undefined && <small>{beside}</small>}
        <small className="tile-end">{end}</small>
      </span>
      {values.length > 1 && <span className="unseen">{t.highest(unit(Math.max(...values)))}</span>}
      <svg viewBox={`0 0 ${box.width} ${box.height}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <path d={area} fill={colour} opacity="0.12" />
        <path d={line} fill="none" stroke={colour} strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
      </svg>
    </Link>
  );
}
