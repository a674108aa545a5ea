import { type Anomaly, anomalyKinds, type AnomalyKind } from "@portcullis/contract/subsystems/anomalies";
import { useQuery } from "@tanstack/react-query";
import { SelectField } from "../../ui/form.tsx";
import { Card, Empty, Loaded } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { apiQuery } from "../../api/queries.ts";
import { DeviceLink } from "../../components/device-link.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { Evidence } from "./evidence.tsx";

const maxShown = 200;
const states = ["open", "ended"] as const;
const scores = ["0.6", "0.75", "0.9"];

/** The anomalies, newest first. Filters are in the URL. */
export function AnomaliesCard() {
  const { anomalies: t } = useTranslation();
  const [device, setDevice] = useSearchParam("device");
  const [kind, setKind] = useSearchParam("kind");
  const [state, setState] = useSearchParam("state");
  const [score, setScore] = useSearchParam("score");
  const query = useQuery({
    ...apiQuery("anomalies", "list", {
      query: {
        limit: maxShown,
        ...(device !== "" && { device }),
        ...(isKind(kind) && { kind }),
        ...(isState(state) && { state }),
        ...(Number(score) > 0 && { min_score: Number(score) }),
      },
    }),
    placeholderData: (before) => before,
  });
  const devices = useQuery(apiQuery("anomalies", "stats")).data?.devices ?? [];
  const all = { value: "", label: t.all };
  const isFiltered = [device, kind, state, score].some((it) => it !== "");
  return (
    <Card title={t.title}>
      <section className="anomalies-filters" aria-label={t.filters}>
        <SelectField
          label={t.device}
          value={device}
          onChange={setDevice}
          options={[all, ...devices.map((it) => ({ value: it.device_id, label: it.device_name }))]}
        />
        <SelectField
          label={t.kind}
          value={kind}
          onChange={setKind}
          options={[all, ...anomalyKinds.map((value) => ({ value, label: t.kinds[value] }))]}
        />
        <SelectField
          label={t.state}
          value={state}
          onChange={setState}
          options={[all, ...states.map((value) => ({ value, label: t.states[value] }))]}
        />
        <SelectField
          label={t.leastScore}
          value={score}
          onChange={setScore}
          options={[all, ...scores.map((value) => ({ value, label: value }))]}
        />
      </section>
      <Loaded query={query} lines={6}>
        {({ items }) => (items.length === 0 ? <Empty text={isFiltered ? t.noMatch : t.none} /> : <Rows rows={items} />)}
      </Loaded>
    </Card>
  );
}

const isKind = (text: string): text is AnomalyKind => anomalyKinds.some((it) => it === text);
const isState = (text: string): text is Anomaly["state"] => states.some((it) => it === text);

function Rows({ rows }: { readonly rows: readonly Anomaly[] }) {
  const { anomalies: t } = useTranslation();
  const [format, why] = [useFormat(), useReason()];
  const columns: readonly Column<Anomaly>[] = [
    {
      key: "device",
      title: t.device,
      minWidth: "8rem",
      cell: ({ device_id, device_name }) => <DeviceLink id={device_id} name={device_name} />,
    },
    { key: "kind", title: t.kind, minWidth: "8rem", cell: ({ kind }) => t.kinds[kind] },
    {
      key: "found",
      title: t.found,
      width: "4fr",
      cell: (row) => (
        <details className="wrap">
          <summary>{why.sentence(row)}</summary>
          <Evidence anomaly={row} />
        </details>
      ),
    },
    { key: "score", title: t.score, width: "5rem", right: true, cell: ({ score }) => format.number(score) },
    {
      key: "seen",
      title: t.lastSeen,
      width: "8rem",
      cell: ({ last_seen, state }) => (
        <span>
          <Ago at={last_seen} /> <span className="quiet fine">{t.states[state]}</span>
        </span>
      ),
    },
  ];
  return <Table label={t.title} rows={rows} columns={columns} rowKey={({ id }) => id} />;
}
