import type { DnsThreatFeed } from "@portcullis/contract/subsystems/dns-lists";
import { useQuery } from "@tanstack/react-query";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { reading } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

const states: Readonly<Record<DnsThreatFeed["status"], StateName>> = {
  ok: "protected",
  failing: "direct",
  waiting: "unknown",
  off: "blocked",
};

export function ThreatFeedsCard() {
  const say = useWords().dns.lists;
  const format = useFormat();
  const feeds = useQuery({ ...reading("dnsThreatFeeds", "list"), refetchInterval: 5000 });
  return (
    <LoadedCard title={say.threats} query={feeds}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty says={say.noThreats} />
        ) : (
          <Table
            label={say.threats}
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              { key: "name", title: say.name, width: "2fr", cell: ({ name }) => name },
              { key: "category", title: say.category, cell: ({ category }) => say.categories[category] },
              {
                key: "status",
                title: say.state,
                cell: ({ status }) => <State state={states[status]} text={say.feedStates[status]} />,
              },
              { key: "entries", title: say.names, right: true, cell: ({ entries }) => format.number(entries) },
              { key: "fresh", title: say.fresh, cell: ({ read_at }) => <Ago at={read_at} none={say.never} /> },
              { key: "problem", title: say.lastProblem, width: "1.5fr", cell: ({ problem }) => problem },
            ]}
          />
        )
      }
    </LoadedCard>
  );
}
