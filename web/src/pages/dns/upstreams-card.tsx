import type { DnsStatus } from "@portcullis/contract/subsystems/dns";
import { useQuery } from "@tanstack/react-query";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { reading } from "../../api/reading.ts";
import { useWayNames } from "../../components/egress-names.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

/** The upstreams of each egress, with their latency. */
export function UpstreamsCard() {
  const say = useWords().dns.resolvers;
  const status = useQuery({ ...reading("dns", "status"), refetchInterval: 5000 });
  return (
    <LoadedCard title={say.asked} query={status}>
      {({ egresses, reason }) => <Upstreams egresses={egresses} reason={reason} />}
    </LoadedCard>
  );
}

function Upstreams({ egresses, reason }: { readonly egresses: DnsStatus["egresses"]; readonly reason: string }) {
  const { dns } = useWords();
  const say = dns.resolvers;
  const format = useFormat();
  const wayNames = useWayNames();
  const rows = egresses.flatMap(({ egress, number, upstreams }) =>
    upstreams.map((upstream, place) => ({
      ...upstream,
      key: `${number} ${place}`,
      egress: number === 0 ? dns.overview.noWay : wayNames(egress),
    })),
  );
  if (rows.length === 0) return <Empty says={say.nobodyAsked(reason)} />;
  return (
    <Table
      label={say.asked}
      rows={rows}
      rowKey={({ key }) => key}
      columns={[
        { key: "name", title: say.name, width: "1.5fr", cell: ({ name, address }) => name || address },
        { key: "egress", title: say.way, width: "1.5fr", cell: ({ egress }) => egress },
        {
          key: "address",
          title: say.address,
          width: "2fr",
          cell: ({ address, protocol }) => `${address} · ${say.protocols[protocol]}`,
        },
        {
          key: "state",
          title: say.state,
          width: "9rem",
          cell: ({ status }) => <State state={status === "up" ? "protected" : "blocked"} text={say.states[status]} />,
        },
        {
          key: "rtt",
          title: say.roundTrip,
          width: "6rem",
          right: true,
          cell: ({ rtt_ms }) => (rtt_ms === null ? "–" : format.ms(rtt_ms)),
        },
        {
          key: "queries",
          title: say.queries,
          width: "6rem",
          right: true,
          cell: ({ queries }) => format.number(queries),
        },
        { key: "drops", title: say.drops, width: "7rem", right: true, cell: ({ drops }) => format.number(drops) },
      ]}
    />
  );
}
