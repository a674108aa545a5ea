import type { DnsThreatFeed } from "@portcullis/contract/subsystems/dns-lists";
import { useQuery } from "@tanstack/react-query";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

const states: Readonly<Record<DnsThreatFeed["status"], StateName>> = {
  ok: "protected",
  failing: "direct",
  waiting: "unknown",
  off: "blocked",
};

export function ThreatFeedsCard() {
  const t = useTranslation().dns.lists;
  const format = useFormat();
  const feeds = useQuery({ ...apiQuery("dnsThreatFeeds", "list"), refetchInterval: 5000 });
  return (
    <LoadedCard title={t.threats} query={feeds}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty text={t.noThreats} />
        ) : (
          <Table
            label={t.threats}
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              { key: "name", title: t.name, width: "2fr", cell: ({ name }) => name },
              { key: "category", title: t.category, cell: ({ category }) => t.categories[category] },
              {
                key: "status",
                title: t.state,
                cell: ({ status }) => <State state={states[status]} text={t.feedStates[status]} />,
              },
              { key: "entries", title: t.names, right: true, cell: ({ entries }) => format.number(entries) },
              { key: "fresh", title: t.fresh, cell: ({ read_at }) => <Ago at={read_at} none={t.never} /> },
              { key: "problem", title: t.lastProblem, width: "1.5fr", cell: ({ problem }) => problem },
            ]}
          />
        )
      }
    </LoadedCard>
  );
}
