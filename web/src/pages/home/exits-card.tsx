import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { useFallbackInterval } from "../../api/live.tsx";
import { allRows, apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useLeaks } from "../../components/privacy/leaks.ts";
import { isEnforced } from "../../components/verdict/verdict.ts";
import { totalRate } from "../../components/traffic/rates.ts";
import { useTraffic } from "../../components/traffic/use-traffic.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { useNarrow } from "../../ui/narrow.ts";
import { Empty, Loaded } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { Segments } from "../../ui/segments.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { PictureView } from "./picture-view.tsx";
import { type Picture, pictureOf } from "./picture.ts";
import { Ribbons } from "./ribbons.tsx";

const views = ["picture", "paths", "table"] as const;
type View = (typeof views)[number];
const isView = (text: string): text is View => (views as readonly string[]).includes(text);

const maxRows = { desk: 12, phone: 8 } as const;
const unlimited = 1_000_000;

/** Where traffic leaves now: as a picture, as the path of each exit, or as a table. */
export function ExitsCard() {
  const { home } = useTranslation();
  const t = home.picture;
  const format = useFormat();
  const [wanted, show] = useSearchParam("view", "picture");
  const view = isView(wanted) ? wanted : "picture";
  const { summary } = useTraffic();
  const now = summary?.measuring ? totalRate(summary.total) : null;
  return (
    <section className="card home-exits" aria-label={home.exits}>
      <header>
        <div className="row">
          <h2>{t.title}</h2>
          <span className="quiet fine">
            {now === null ? (summary && !summary.measuring ? t.unmeasured : "") : format.rate(now)}
          </span>
        </div>
        <Segments
          label={t.view}
          value={view}
          onChange={show}
          options={views.map((it) => ({ value: it, label: t.views[it] }))}
        />
      </header>
      <Exits view={view} />
    </section>
  );
}

/** Postures and outcomes are those of the policies, whether they are enforced or not. */
function Exits({ view }: { readonly view: View }) {
  const { home: t } = useTranslation();
  const status = useQuery(apiQuery("status", "status"));
  // Old data have their age beside the verdict.
  if (!status.data) return <Loaded query={status}>{() => null}</Loaded>;
  if (!isEnforced(status.data)) return <Empty text={t.verdicts({ kind: "not enforced" }).title} />;
  return view === "paths" ? <Ribbons /> : <Pictured asTable={view === "table"} />;
}

function Pictured({ asTable }: { readonly asTable: boolean }) {
  const { home } = useTranslation();
  const may = useMay();
  const every = useFallbackInterval(5000);
  const isNarrow = useNarrow();
  const postures = useQuery({ ...apiQuery("policyViews", "postures"), refetchInterval: every && 15_000 });
  const egress = useQuery({ ...apiQuery("tunnels", "egress"), refetchInterval: every });
  const tunnels = useQuery({
    ...allRows("tunnels", "list"),
    enabled: may(["tunnels", "list"]),
    refetchInterval: every,
  });
  const { summary, byDevice } = useTraffic();
  const { found } = useLeaks();
  const rows = asTable ? unlimited : isNarrow ? maxRows.phone : maxRows.desk;
  const picture = useMemo(
    () =>
      postures.data &&
      egress.data &&
      pictureOf({
        devices: postures.data.devices,
        egress: egress.data,
        tunnels: tunnels.data ?? [],
        tunnelRates: new Map(summary?.measuring ? summary.tunnels.map((it) => [it.tunnel_id, totalRate(it)]) : []),
        traffic: byDevice,
        leaking: new Set(found.map(({ device_id }) => device_id)),
        maxRows: rows,
      }),
    [postures.data, egress.data, tunnels.data, summary, byDevice, found, rows],
  );
  const missing: UseQueryResult<unknown> = postures.data ? egress : postures;
  if (!picture) return <Loaded query={missing}>{() => null}</Loaded>;
  if (egress.data?.length === 0)
    return (
      <Empty text={home.noExits}>
        <LinkButton to="/tunnels?do=import" needs={["tunnels", "importWireguard"]}>
          {home.importTunnel}
        </LinkButton>
      </Empty>
    );
  if (picture.rows.length === 0)
    return (
      <Empty text={home.picture.noDevices}>
        <LinkButton to="/devices">{home.identify}</LinkButton>
      </Empty>
    );
  return asTable ? <PictureTable picture={picture} /> : <PictureView picture={picture} />;
}

function PictureTable({ picture }: { readonly picture: Picture }) {
  const t = useTranslation().home.picture;
  const format = useFormat();
  const exits = new Map(picture.exits.map((it) => [it.key, it.hops.join(" → ")]));
  return (
    <Table
      label={t.title}
      rows={picture.rows}
      rowKey={({ key }) => key}
      columns={[
        { key: "device", title: t.columns.device, width: "2fr", cell: ({ device }) => device?.name },
        { key: "exit", title: t.columns.exit, width: "2fr", cell: ({ exit }) => exits.get(exit ?? "") || t.none },
        {
          key: "rate",
          title: t.columns.rate,
          right: true,
          cell: ({ rate }) => (rate === null ? "" : format.rate(rate)),
        },
        { key: "state", title: t.columns.state, cell: ({ state }) => <State state={state} /> },
      ]}
    />
  );
}
