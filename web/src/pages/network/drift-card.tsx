import type { Reason } from "@portcullis/contract/reason";
import { useQuery } from "@tanstack/react-query";
import { LoadedCard } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { reasonIn, type ReasonTexts, useReason } from "../../i18n/reason.ts";

interface Drift {
  readonly key: string;
  readonly at: string;
  readonly type: string;
  readonly resource: string;
  readonly field: string;
  readonly expected: string | null;
  readonly coded_expected: Reason | null;
  readonly actual: string | null;
  readonly coded_actual: Reason | null;
}

/** Foreign changes to kernel objects of the gateway, which were repaired. */
export function DriftCard() {
  const { network: t } = useTranslation();
  const why = useReason();
  const query = useQuery({ ...apiQuery("enforcement", "drift"), refetchInterval: 10_000 });
  const columns: Column<Drift>[] = [
    { key: "resource", title: t.what, cell: ({ resource }) => <span className="code">{resource}</span> },
    {
      key: "how",
      title: t.reason,
      width: "3fr",
      cell: (it) => <span className="wrap">{sentenceOf(it, t.drifted, why)}</span>,
    },
    { key: "engine", title: t.part, width: "0.6fr", cell: ({ type }) => type },
    { key: "at", title: t.when, width: "0.8fr", cell: ({ at }) => <Ago at={at} /> },
  ];
  return (
    <LoadedCard title={t.drift} query={query}>
      {(drift) =>
        drift.length === 0 ? (
          <p className="quiet">{t.noDrift}</p>
        ) : (
          <Table
            label={t.drift}
            rows={drift.map((it, index) => ({ ...it, key: `${it.at} ${drift.length - index}` }))}
            columns={columns}
            rowKey={({ key }) => key}
          />
        )
      }
    </LoadedCard>
  );
}

type Texts = ReturnType<typeof useTranslation>["network"]["drifted"];

function sentenceOf(drift: Drift, t: Texts, why: ReasonTexts): string {
  const [expected, actual] = [why.clause(reasonIn("expected", drift)), why.clause(reasonIn("actual", drift))];
  if (drift.actual === null) return t.missing(drift.field, expected);
  return drift.expected === null ? t.extra(drift.field, actual) : t.changed(drift.field, actual, expected);
}
