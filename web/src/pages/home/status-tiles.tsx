import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { Figure, LoadedCard } from "../../ui/page.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { allRows, apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { filteringOf } from "../../components/filtering.ts";
import { isProbed } from "../../components/uplinks.ts";
import { useEgressNames } from "../../components/egress-names.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";

/** Tunnels, DNS and uplinks: one number each, with a link. */
export function StatusTiles() {
  const may = useMay();
  return (
    <div className="grid">
      {may(["tunnels", "list"]) && <TunnelTile />}
      <DnsTile />
      {may(["uplinks", "decisions"]) && <UplinkTile />}
    </div>
  );
}

function TunnelTile() {
  const { home: t, shell } = useTranslation();
  const tunnels = useQuery({ ...allRows("tunnels", "list"), refetchInterval: 5000 });
  return (
    <LoadedCard title={shell.titles.tunnels} query={tunnels} actions={<More to="/tunnels" />}>
      {(all) => {
        const wanted = all.filter(({ enabled }) => enabled);
        const connected = wanted.filter(({ status }) => status === "up" || status === "degraded");
        const state: StateName =
          wanted.length === 0 ? "unknown" : connected.length === wanted.length ? "protected" : "blocked";
        return (
          <>
            <Figure name={t.tunnelsConnected(all.length - wanted.length)}>
              {t.ofAll(connected.length, wanted.length)}
            </Figure>
            <State state={state} text={t.tunnelSummary(connected.length, wanted.length)} />
          </>
        );
      }}
    </LoadedCard>
  );
}

const planeStates = { running: "protected", degraded: "direct", failed: "blocked", off: "unknown" } as const;

function DnsTile() {
  const { home: t, shell } = useTranslation();
  const format = useFormat();
  const may = useMay();
  const egressNames = useEgressNames();
  const status = useQuery({ ...apiQuery("dns", "status"), refetchInterval: 10_000 });
  const why = useReason();
  const counts = useQuery({
    ...apiQuery("dnsLog", "statistics", { query: { top: 1 } }),
    enabled: may(["dnsLog", "statistics"]),
    refetchInterval: 10_000,
  }).data;
  return (
    <LoadedCard title={shell.titles.dns} query={status} actions={<More to="/dns" />}>
      {(plane) => (
        <>
          <Figure name={t.blockedShare}>
            {counts && counts.queries > 0 ? format.percent(counts.blocked / counts.queries) : "–"}
          </Figure>
          {filteringOf(plane) === "off" ? (
            <State state="direct" text={t.filteringOff} />
          ) : (
            <State state={planeStates[plane.status]} text={t.planeStates[plane.status]} />
          )}
          {plane.status !== "running" && <p className="quiet fine">{egressNames(why.line(plane))}</p>}
        </>
      )}
    </LoadedCard>
  );
}

function UplinkTile() {
  const { home: t } = useTranslation();
  const format = useFormat();
  const decisions = useQuery({ ...apiQuery("uplinks", "decisions"), refetchInterval: 5000 });
  return (
    <LoadedCard title={t.uplinks} query={decisions} actions={<More to="/network" />}>
      {({ active, decision, uplinks }) => {
        const used = uplinks.find(({ name }) => name === active);
        const word = active === null ? "none" : used && isProbed(used) ? "used" : "unprobed";
        return (
          <>
            <Figure name={decision}>{active ?? t.noUplink}</Figure>
            <State
              state={active === null ? "blocked" : used?.status === "up" ? "protected" : "unknown"}
              text={used?.rtt_ms == null ? t.uplinkStates[word] : format.ms(used.rtt_ms)}
            />
          </>
        );
      }}
    </LoadedCard>
  );
}

function More({ to }: { readonly to: string }) {
  const { home: t } = useTranslation();
  return <Link href={to}>{t.more}</Link>;
}
