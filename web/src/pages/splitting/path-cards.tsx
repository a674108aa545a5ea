import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { LoadedCard } from "../../ui/page.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { reading } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

const live = { refetchInterval: 5000 };

const states = {
  up: "protected",
  degraded: "protected",
  connecting: "unknown",
  failed: "blocked",
  down: "blocked",
} as const satisfies Record<string, StateName>;

export function TransportCard() {
  const { splitting: say } = useWords();
  const format = useFormat();
  const transport = useQuery({ ...reading("splitting", "transport"), ...live });
  return (
    <LoadedCard title={say.transport} query={transport}>
      {(all) =>
        all.length === 0 ? (
          <p className="quiet">{say.noPaths}</p>
        ) : (
          <Table
            label={say.transport}
            rows={all}
            rowKey={({ tunnel_id }) => tunnel_id}
            columns={[
              {
                key: "tunnel",
                title: say.tunnel,
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
                title: say.state,
                width: "10.5rem",
                cell: ({ status }) => <State state={states[status]} text={say.statuses[status]} />,
              },
              { key: "endpoint", title: say.endpoint, width: "1.6fr", cell: ({ endpoint }) => endpoint ?? "–" },
              {
                key: "mtu",
                title: say.mtu,
                width: "0.6fr",
                right: true,
                cell: ({ mtu }) => (mtu === null ? "–" : format.number(mtu)),
              },
              {
                key: "rtt",
                title: say.roundTrip,
                width: "0.8fr",
                right: true,
                cell: ({ rtt_ms }) => (rtt_ms === null ? "–" : format.ms(rtt_ms)),
              },
              {
                key: "bytes",
                title: say.bytes,
                width: "1.4fr",
                cell: ({ rx, tx }) => <span className="fine">{say.traffic(format.bytes(rx), format.bytes(tx))}</span>,
              },
            ]}
          />
        )
      }
    </LoadedCard>
  );
}

export function ResolverCard() {
  const { splitting: say } = useWords();
  const resolvers = useQuery({ ...reading("splitting", "dnsStatus"), refetchInterval: 15_000 });
  return (
    <LoadedCard title={say.resolvers} query={resolvers}>
      {(all) =>
        all.length === 0 ? (
          <p className="quiet">{say.noPaths}</p>
        ) : (
          <Table
            label={say.resolvers}
            rows={all}
            rowKey={({ tunnel_id }) => tunnel_id}
            columns={[
              { key: "tunnel", title: say.tunnel, cell: ({ tunnel }) => tunnel },
              { key: "resolver", title: say.resolver, cell: ({ resolver }) => resolver ?? say.nobody },
              { key: "source", title: say.source, cell: ({ source }) => say.sources[source] },
              {
                key: "note",
                title: say.note,
                width: "2fr",
                cell: ({ note }) => note && <span className="fine">{say.reason(note)}</span>,
              },
            ]}
          />
        )
      }
    </LoadedCard>
  );
}

export function CoverCard() {
  const { splitting: say, kit } = useWords();
  const format = useFormat();
  const stats = useQuery({ ...reading("splitting", "coverStats"), ...live });
  return (
    <LoadedCard title={say.cover} query={stats}>
      {(all) =>
        all.length === 0 ? (
          <p className="quiet">{say.noCover}</p>
        ) : (
          <Table
            label={say.cover}
            rows={all}
            rowKey={({ endpoint_id }) => endpoint_id}
            columns={[
              { key: "tunnel", title: say.tunnel, width: "1.4fr", cell: ({ tunnel }) => tunnel },
              { key: "target", title: say.target, width: "1.2fr", cell: ({ target }) => target ?? "–" },
              { key: "state", title: say.state, width: "0.6fr", cell: ({ enabled }) => (enabled ? kit.on : kit.off) },
              {
                key: "rate",
                title: say.most,
                right: true,
                cell: ({ bytes_per_second }) => say.perSecond(format.bytes(bytes_per_second)),
              },
              { key: "sent", title: say.sent, right: true, cell: ({ bytes }) => format.bytes(bytes) },
              {
                key: "answered",
                title: say.answered,
                width: "1.2fr",
                right: true,
                cell: ({ answered, packets }) => say.ofPackets(format.number(answered), format.number(packets)),
              },
            ]}
          />
        )
      }
    </LoadedCard>
  );
}
