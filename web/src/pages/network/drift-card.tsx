import { useQuery } from "@tanstack/react-query";
import { LoadedCard } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { reading } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";

interface Drift {
  readonly key: string;
  readonly at: string;
  readonly type: string;
  readonly resource: string;
  readonly field: string;
  readonly expected: string | null;
  readonly actual: string | null;
}

/** Foreign changes to kernel objects of the gateway, which were repaired. */
export function DriftCard() {
  const { network: say } = useWords();
  const query = useQuery({ ...reading("enforcement", "drift"), refetchInterval: 10_000 });
  const columns: Column<Drift>[] = [
    { key: "resource", title: say.what, cell: ({ resource }) => <span className="code">{resource}</span> },
    {
      key: "how",
      title: say.reason,
      width: "3fr",
      cell: (it) => <span className="wrap">{sentenceOf(it, say.drifted)}</span>,
    },
    { key: "engine", title: say.part, width: "0.6fr", cell: ({ type }) => type },
    { key: "at", title: say.when, width: "0.8fr", cell: ({ at }) => <Ago at={at} /> },
  ];
  return (
    <LoadedCard title={say.drift} query={query}>
      {(drift) =>
        drift.length === 0 ? (
          <p className="quiet">{say.noDrift}</p>
        ) : (
          <Table
            label={say.drift}
            rows={drift.map((it, place) => ({ ...it, key: `${it.at} ${drift.length - place}` }))}
            columns={columns}
            rowKey={({ key }) => key}
          />
        )
      }
    </LoadedCard>
  );
}

type Say = ReturnType<typeof useWords>["network"]["drifted"];

function sentenceOf({ field, expected, actual }: Drift, say: Say): string {
  if (actual === null) return say.missing(field, expected ?? "");
  return expected === null ? say.extra(field, actual) : say.changed(field, actual, expected);
}
