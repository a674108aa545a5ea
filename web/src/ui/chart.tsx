import { lazy, Suspense, useState } from "react";
import { useFormat, useTranslation } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";
import { Table } from "./table.tsx";
import type { ChartProps } from "./chart-props.ts";

const Drawing = lazy(async () => ({ default: (await import("./drawing.tsx")).Drawing }));

/** Values over time as a chart, or as a table. */
export function Chart(props: ChartProps) {
  const { ui } = useTranslation();
  const [asTable, setAsTable] = useState(false);
  return (
    <figure className="stack tight" aria-label={props.label}>
      {asTable ? (
        <ValueTable {...props} />
      ) : (
        <Suspense fallback={<div className="chart-space" />}>
          <Drawing {...props} />
        </Suspense>
      )}
      <div>
        <Button kind="quiet" onPress={() => setAsTable(!asTable)}>
          {asTable ? ui.showChart : ui.showTable}
        </Button>
      </div>
    </figure>
  );
}

function ValueTable({ label, times, series, unit }: ChartProps) {
  const format = useFormat();
  const rows = times.map((time, index) => ({ time, index })).reverse();
  return (
    <Table
      label={label}
      rows={rows}
      rowKey={({ time }) => time.toISOString()}
      columns={[
        { key: "time", title: label, cell: ({ time }) => format.clock(time) },
        ...series.map(({ name, values }) => ({
          key: name,
          title: name,
          right: true,
          cell: ({ index }: { readonly index: number }) => unit(values[index] ?? 0),
        })),
      ]}
    />
  );
}
