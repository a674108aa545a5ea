import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { Figure, LoadedCard } from "../../ui/page.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { everyRow, reading } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { filteringOf } from "../../components/filtering.ts";
import { isProbed } from "../../components/uplinks.ts";
import { useWayNames } from "../../components/egress-names.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

/** Tunnels, DNS and uplinks: one number each, with a link. */
export function Glance() {
  const may = useMay();
  return (
    <div className="grid">
      {may(["tunnels", "list"]) && <TunnelGlance />}
      <DnsGlance />
      {may(["uplinks", "decisions"]) && <UplinkGlance />}
    </div>
  );
}

function TunnelGlance() {
  const { home: say, frame } = useWords();
  const tunnels = useQuery({ ...everyRow("tunnels", "list"), refetchInterval: 5000 });
  return (
    <LoadedCard title={frame.titles.tunnels} query={tunnels} actions={<More to="/tunnels" />}>
      {(all) => {
        const wanted = all.filter(({ enabled }) => enabled);
        const carrying = wanted.filter(({ status }) => status === "up" || status === "degraded");
        const state: StateName =
          wanted.length === 0 ? "unknown" : carrying.length === wanted.length ? "protected" : "blocked";
        return (
          <>
            <Figure name={say.tunnelsCarry(all.length - wanted.length)}>
              {say.ofAll(carrying.length, wanted.length)}
            </Figure>
            <State state={state} text={say.tunnelWords(carrying.length, wanted.length)} />
          </>
        );
      }}
    </LoadedCard>
  );
}

const planeStates = { running: "protected", degraded: "direct", failed: "blocked", off: "unknown" } as const;

function DnsGlance() {
  const { home: say, frame } = useWords();
  const format = useFormat();
  const may = useMay();
  const wayNames = useWayNames();
  const status = useQuery({ ...reading("dns", "status"), refetchInterval: 10_000 });
  const counts = useQuery({
    ...reading("dnsLog", "statistics", { query: { top: 1 } }),
    enabled: may(["dnsLog", "statistics"]),
    refetchInterval: 10_000,
  }).data;
  return (
    <LoadedCard title={frame.titles.dns} query={status} actions={<More to="/dns" />}>
      {(plane) => (
        <>
          <Figure name={say.blockedShare}>
            {counts && counts.queries > 0 ? format.percent(counts.blocked / counts.queries) : "–"}
          </Figure>
          {filteringOf(plane) === "off" ? (
            <State state="direct" text={say.filteringOff} />
          ) : (
            <State state={planeStates[plane.status]} text={say.planeWords[plane.status]} />
          )}
          {plane.status !== "running" && <p className="quiet fine">{wayNames(plane.reason)}</p>}
        </>
      )}
    </LoadedCard>
  );
}

function UplinkGlance() {
  const { home: say } = useWords();
  const format = useFormat();
  const decisions = useQuery({ ...reading("uplinks", "decisions"), refetchInterval: 5000 });
  return (
    <LoadedCard title={say.uplinks} query={decisions} actions={<More to="/network" />}>
      {({ active, decision, uplinks }) => {
        const used = uplinks.find(({ name }) => name === active);
        const word = active === null ? "none" : used && isProbed(used) ? "used" : "unprobed";
        return (
          <>
            <Figure name={decision}>{active ?? say.noUplink}</Figure>
            <State
              state={active === null ? "blocked" : used?.status === "up" ? "protected" : "unknown"}
              text={used?.rtt_ms == null ? say.uplinkWords[word] : format.ms(used.rtt_ms)}
            />
          </>
        );
      }}
    </LoadedCard>
  );
}

function More({ to }: { readonly to: string }) {
  const { home: say } = useWords();
  return <Link href={to}>{say.more}</Link>;
}
