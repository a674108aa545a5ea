import { lazy, Suspense, useState } from "react";
import { useFormat, useWords } from "../words/words.tsx";
import { Button } from "./button.tsx";
import { Table } from "./table.tsx";

export interface Series {
  readonly name: string;
  /** One of the tokens, such as `--accent`. */
  readonly colour: string;
  readonly values: readonly number[];
}
export interface ChartProps {
  readonly label: string;
  /** When each value was taken, oldest first. */
  readonly times: readonly Date[];
  readonly series: readonly Series[];
  readonly unit: (value: number) => string;
}

const Drawing = lazy(async () => ({ default: (await import("./drawing.tsx")).Drawing }));

/** Values over time, drawn; and the same as a table, for who would rather read them. */
export function Chart(props: ChartProps) {
  const { kit } = useWords();
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
          {asTable ? kit.showChart : kit.showTable}
        </Button>
      </div>
    </figure>
  );
}

function ValueTable({ label, times, series, unit }: ChartProps) {
  const format = useFormat();
  const rows = times.map((time, place) => ({ time, place })).reverse();
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
          cell: ({ place }: { readonly place: number }) => unit(values[place] ?? 0),
        })),
      ]}
    />
  );
}
