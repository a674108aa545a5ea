import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { LoadedCard } from "../../ui/page.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { reasonIn, useReason } from "../../i18n/reason.ts";

const live = { refetchInterval: 5000 };

const states = {
  up: "protected",
  degraded: "protected",
  connecting: "unknown",
  failed: "blocked",
  down: "blocked",
} as const satisfies Record<string, StateName>;

export function TransportCard() {
  const { splitting: t } = useTranslation();
  const format = useFormat();
  const transport = useQuery({ ...apiQuery("splitting", "transport"), ...live });
  return (
    <LoadedCard title={t.transport} query={transport}>
      {(all) =>
        all.length === 0 ? (
          <p className="quiet">{t.noPaths}</p>
        ) : (
          <Table
            label={t.transport}
            rows={all}
            rowKey={({ tunnel_id }) => tunnel_id}
            columns={[
              {
                key: "tunnel",
                title: t.tunnel,
                width: "1.4fr",
                cell: ({ tunnel, tunnel_id, interface: link }) => (
                  <div>
                    <Link href={`/tunnels?open=${tunnel_id}`}>{tunnel}</Link>
                    <div className="quiet fine">{link}</div>
                  </div>
                ),
              },
              {
                key: "state",
                title: t.state,
                width: "10.5rem",
                cell: ({ status }) => <State state={states[status]} text={t.statuses[status]} />,
              },
              { key: "endpoint", title: t.endpoint, width: "1.6fr", cell: ({ endpoint }) => endpoint ?? "–" },
              {
                key: "mtu",
                title: t.mtu,
                width: "0.6fr",
                right: true,
                cell: ({ mtu }) => (mtu === null ? "–" : format.number(mtu)),
              },
              {
                key: "rtt",
                title: t.roundTrip,
                width: "0.8fr",
                right: true,
                cell: ({ rtt_ms }) => (rtt_ms === null ? "–" : format.ms(rtt_ms)),
              },
              {
                key: "bytes",
                title: t.bytes,
                width: "1.4fr",
                cell: ({ rx, tx }) => <span className="fine">{t.traffic(format.bytes(rx), format.bytes(tx))}</span>,
              },
            ]}
          />
        )
      }
    </LoadedCard>
  );
}

export function ResolverCard() {
  const { splitting: t } = useTranslation();
  const why = useReason();
  const resolvers = useQuery({ ...apiQuery("splitting", "dnsStatus"), refetchInterval: 15_000 });
  return (
    <LoadedCard title={t.resolvers} query={resolvers}>
      {(all) =>
        all.length === 0 ? (
          <p className="quiet">{t.noPaths}</p>
        ) : (
          <Table
            label={t.resolvers}
            rows={all}
            rowKey={({ tunnel_id }) => tunnel_id}
            columns={[
              { key: "tunnel", title: t.tunnel, cell: ({ tunnel }) => tunnel },
              { key: "resolver", title: t.resolver, cell: ({ resolver }) => resolver ?? t.noResolver },
              { key: "source", title: t.source, cell: ({ source }) => t.sources[source] },
              {
                key: "note",
                title: t.note,
                width: "2fr",
                cell: (it) => <span className="fine">{why.sentence(reasonIn("note", it))}</span>,
              },
            ]}
          />
        )
      }
    </LoadedCard>
  );
}

export function CoverCard() {
  const { splitting: t, ui } = useTranslation();
  const format = useFormat();
  const stats = useQuery({ ...apiQuery("splitting", "coverStats"), ...live });
  return (
    <LoadedCard title={t.cover} query={stats}>
      {(all) =>
        all.length === 0 ? (
          <p className="quiet">{t.noCover}</p>
        ) : (
          <Table
            label={t.cover}
            rows={all}
            rowKey={({ endpoint_id }) => endpoint_id}
            columns={[
              { key: "tunnel", title: t.tunnel, width: "1.4fr", cell: ({ tunnel }) => tunnel },
              { key: "target", title: t.target, width: "1.2fr", cell: ({ target }) => target ?? "–" },
              { key: "state", title: t.state, width: "0.6fr", cell: ({ enabled }) => (enabled ? ui.on : ui.off) },
              {
                key: "rate",
                title: t.maxRate,
                right: true,
                cell: ({ bytes_per_second }) => t.perSecond(format.bytes(bytes_per_second)),
              },
              { key: "sent", title: t.sent, right: true, cell: ({ bytes }) => format.bytes(bytes) },
              {
                key: "answered",
                title: t.answered,
                width: "1.2fr",
                right: true,
                cell: ({ answered, packets }) => t.ofPackets(format.number(answered), format.number(packets)),
              },
            ]}
          />
        )
      }
    </LoadedCard>
  );
}
