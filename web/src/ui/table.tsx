import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, memo, type ReactNode, type RefObject, useRef } from "react";
import { useRowsInSight } from "./rows-in-sight.ts";
import "./table.css";

export interface Column<T> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Share of the width, as CSS grid says it: "2fr", "8rem". */
  readonly width?: string;
  readonly right?: boolean;
  /** Buttons: they stand beside the first cell on a phone, and have no label. Give a width, or heads stand aside. */
  readonly actions?: boolean;
}

interface TableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  /** The row that is open or marked. */
  readonly current?: string;
  readonly rowClass?: (row: T) => string | undefined;
  /** Every row is exactly so high (its class sees to that): nothing is measured, however fast rows come. */
  readonly fixedPx?: number;
}

/** More rows than this, and only those in sight are built. */
const wholeMost = 60;
const rowPx = 49;

/** A table on a desk, cards on a phone. Ten thousand rows cost what is in sight. */
export function Table<T>(props: TableProps<T>) {
  const { label, rows, columns } = props;
  const widths = columns.map(({ width, actions }) => (actions ? (width ?? "2.75rem") : `minmax(0, ${width ?? "1fr"})`));
  const style = { "--columns": widths.join(" ") } as CSSProperties;
  const scroller = useRef<HTMLDivElement>(null);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
    <div className="table-frame" ref={scroller} style={style} tabIndex={0} role="group" aria-label={label}>
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <div role="row" className="table-row table-head" aria-rowindex={1}>
          {columns.map(({ key, title, right, actions }) => (
            <div key={key} role="columnheader" className={`table-cell ${right ? "right" : ""}`}>
              {actions ? <span className="unseen">{title}</span> : title}
            </div>
          ))}
        </div>
        {rows.length <= wholeMost ? (
          <div role="rowgroup">
            {rows.map((row, place) => (
              <Row key={props.rowKey(row)} row={row} place={place} {...props} />
            ))}
          </div>
        ) : (
          <Windowed {...props} scroller={scroller} />
        )}
      </div>
    </div>
  );
}

function Windowed<T>({ scroller, ...props }: TableProps<T> & { readonly scroller: RefObject<HTMLDivElement | null> }) {
  "use no memo";
  const { rows, rowKey, fixedPx } = props;
  // Rows of one height change what they say rather than places: nothing is built anew while they stream by.
  const keyOf = (row: T, place: number) => (fixedPx === undefined ? rowKey(row) : place);
  const windowed = useVirtualizer({
    ...useRowsInSight(scroller, rows, keyOf, fixedPx ?? rowPx),
    overscan: 4,
  });
  return (
    <div role="rowgroup" className="table" style={{ height: windowed.getTotalSize() }}>
      {windowed.getVirtualItems().map(({ index, key, start }) => (
        <Row
          key={key}
          row={rows[index]!}
          place={index}
          {...props}
          {...(fixedPx === undefined && { measure: windowed.measureElement })}
          startPx={start}
        />
      ))}
    </div>
  );
}

interface RowProps<T> extends TableProps<T> {
  readonly row: T;
  readonly place: number;
  readonly measure?: (element: HTMLElement | null) => void;
  /** Where it begins; absent: behind the one before. */
  readonly startPx?: number;
}

/** A row that stays in sight while others come and go is left as it is. */
const Row = memo(function Row<T>({ row, place, columns, rowKey, current, rowClass, measure, startPx }: RowProps<T>) {
  return (
    <div
      role="row"
      ref={measure}
      data-index={place}
      aria-rowindex={place + 2}
      aria-current={current !== undefined && rowKey(row) === current ? true : undefined}
      className={`table-row ${startPx === undefined ? "" : "floating"} ${rowClass?.(row) ?? ""}`}
      style={startPx === undefined ? undefined : { transform: `translateY(${startPx}px)` }}
    >
      {columns.map(({ key, title, cell, right, actions }, number) => {
        const content = cell(row);
        const isEmpty = content === null || content === undefined || content === "" || content === false;
        return (
          <div
            key={key}
            role="cell"
            className={`table-cell ${right ? "right" : ""} ${actions ? "actions" : ""} ${number === 0 ? "first" : ""}`}
          >
            {!actions && number > 0 && !isEmpty && (
              <span className="table-label" aria-hidden="true">
                {title}
              </span>
            )}
            {content}
          </div>
        );
      })}
    </div>
  );
}) as <T>(props: RowProps<T>) => ReactNode;
