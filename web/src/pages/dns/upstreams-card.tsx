import type { DnsStatus } from "@portcullis/contract/subsystems/dns";
import { useQuery } from "@tanstack/react-query";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useEgressNames } from "../../components/egress-names.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";

/** The upstreams of each egress, with their latency. */
export function UpstreamsCard() {
  const t = useTranslation().dns.resolvers;
  const why = useReason();
  const status = useQuery({ ...apiQuery("dns", "status"), refetchInterval: 5000 });
  return (
    <LoadedCard title={t.upstreams} query={status}>
      {(data) => <Upstreams egresses={data.egresses} reason={why.clause(data)} />}
    </LoadedCard>
  );
}

function Upstreams({ egresses, reason }: { readonly egresses: DnsStatus["egresses"]; readonly reason: string }) {
  const { dns } = useTranslation();
  const t = dns.resolvers;
  const why = useReason();
  const format = useFormat();
  const egressNames = useEgressNames();
  const rows = egresses.flatMap(({ egress, number, upstreams }) =>
    upstreams.map((upstream, index) => ({
      ...upstream,
      key: `${number} ${index}`,
      egress: number === 0 ? dns.overview.noEgress : egressNames(egress),
    })),
  );
  if (rows.length === 0) return <Empty text={t.noUpstreams(reason)} />;
  return (
    <Table
      label={t.upstreams}
      rows={rows}
      rowKey={({ key }) => key}
      columns={[
        { key: "name", title: t.name, width: "1.5fr", cell: ({ name, address }) => name || address },
        { key: "egress", title: t.egress, width: "1.5fr", cell: ({ egress }) => egress },
        {
          key: "address",
          title: t.address,
          width: "2fr",
          cell: ({ address, protocol }) => `${address} · ${t.protocols[protocol]}`,
        },
        {
          key: "state",
          title: t.state,
          width: "1.5fr",
          minWidth: "9rem",
          cell: (upstream) => (
            <>
              <State state={upstream.status === "up" ? "protected" : "blocked"} text={t.states[upstream.status]} />
              {upstream.reason !== "" && <span className="quiet fine wrap">{why.line(upstream)}</span>}
            </>
          ),
        },
        {
          key: "rtt",
          title: t.roundTrip,
          width: "6rem",
          right: true,
          cell: ({ rtt_ms }) => (rtt_ms === null ? "–" : format.ms(rtt_ms)),
        },
        {
          key: "queries",
          title: t.queries,
          width: "6rem",
          right: true,
          cell: ({ queries }) => format.number(queries),
        },
        { key: "drops", title: t.drops, width: "7rem", right: true, cell: ({ drops }) => format.number(drops) },
      ]}
    />
  );
}
