import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, memo, type ReactNode, type RefObject, useRef } from "react";
import { Icon } from "./icon.tsx";
import { useVisibleRows } from "./visible-rows.ts";
import "./table.css";

export interface Column<T> {
  readonly key: string;
  readonly title: string;
  /** In the heading instead of the title: a control. */
  readonly head?: ReactNode;
  readonly sort?: Sort;
  /** Of the cells. */
  readonly className?: string;
  readonly cell: (row: T) => ReactNode;
  /** Width in a CSS grid: "2fr", "8rem". */
  readonly width?: string;
  /** Below it the others get narrower. */
  readonly minWidth?: string;
  readonly right?: boolean;
  /** A column of buttons: beside the first cell on a phone, without a label. Needs a width for the headings to align. */
  readonly actions?: boolean;
}

/** A heading that sorts. */
interface Sort {
  /** Absent: another column sorts. */
  readonly direction: "ascending" | "descending" | undefined;
  readonly onPress: () => void;
}

interface TableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  /** The row that is open or selected. */
  readonly current?: string;
  readonly rowClass?: (row: T) => string | undefined;
  /** The fixed height of every row (set by its class): nothing is measured, however fast rows arrive. */
  readonly fixedPx?: number;
}

/** With more rows than this, only visible rows are rendered. */
const maxUnwindowed = 60;
const rowPx = 49;

/** A table on a desktop, cards on a phone. Of ten thousand rows only visible ones are rendered. */
export function Table<T>(props: TableProps<T>) {
  const { label, rows, columns } = props;
  const widths = columns.map(({ width, minWidth = "0", actions }) =>
    actions ? (width ?? "2.75rem") : `minmax(${minWidth}, ${width ?? "1fr"})`,
  );
  const style = { "--columns": widths.join(" ") } as CSSProperties;
  const scroller = useRef<HTMLDivElement>(null);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable area must be reachable by keyboard
    <div className="table-frame" ref={scroller} style={style} tabIndex={0} role="group" aria-label={label}>
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <div role="row" className="table-row table-head" aria-rowindex={1}>
          {columns.map(({ key, title, head, sort, right, actions, className = "" }) => (
            <div
              key={key}
              role="columnheader"
              className={`table-cell ${right ? "right" : ""} ${className}`}
              aria-sort={sort?.direction}
            >
              {head ??
                (actions ? (
                  <span className="unseen">{title}</span>
                ) : sort ? (
                  <SortHead {...sort} title={title} />
                ) : (
                  title
                ))}
            </div>
          ))}
        </div>
        {rows.length <= maxUnwindowed ? (
          <div role="rowgroup">
            {rows.map((row, index) => (
              <Row key={props.rowKey(row)} row={row} index={index} {...props} />
            ))}
          </div>
        ) : (
          <Windowed {...props} scroller={scroller} />
        )}
      </div>
    </div>
  );
}

function SortHead({ title, direction, onPress }: Sort & { readonly title: string }) {
  return (
    <button type="button" className="table-sort" onClick={onPress}>
      {title}
      {direction && <Icon name={direction === "ascending" ? "up" : "down"} />}
    </button>
  );
}

function Windowed<T>({ scroller, ...props }: TableProps<T> & { readonly scroller: RefObject<HTMLDivElement | null> }) {
  "use no memo";
  const { rows, rowKey, fixedPx } = props;
  // Rows of fixed height change their content, not their position: nothing is mounted while they stream.
  const keyOf = (row: T, index: number) => (fixedPx === undefined ? rowKey(row) : index);
  const windowed = useVirtualizer({
    ...useVisibleRows(scroller, rows, keyOf, fixedPx ?? rowPx),
    overscan: 4,
  });
  return (
    <div role="rowgroup" className="table" style={{ height: windowed.getTotalSize() }}>
      {windowed.getVirtualItems().map(({ index, key, start }) => (
        <Row
          key={key}
          row={rows[index]!}
          index={index}
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
  readonly index: number;
  readonly measure?: (element: HTMLElement | null) => void;
  /** Offset; absent: after the previous row. */
  readonly startPx?: number;
}

/** Memoized: a visible row is not rendered again while others change. */
const Row = memo(function Row<T>({ row, index, columns, rowKey, current, rowClass, measure, startPx }: RowProps<T>) {
  return (
    <div
      role="row"
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      aria-current={current !== undefined && rowKey(row) === current ? true : undefined}
      className={`table-row ${startPx === undefined ? "" : "floating"} ${rowClass?.(row) ?? ""}`}
      style={startPx === undefined ? undefined : { transform: `translateY(${startPx}px)` }}
    >
      {columns.map(({ key, title, cell, right, actions, className = "" }, number) => {
        const content = cell(row);
        const isEmpty = content === null || content === undefined || content === "" || content === false;
        return (
          <div
            key={key}
            role="cell"
            className={`table-cell ${right ? "right" : ""} ${actions ? "actions" : ""} ${number === 0 ? "first" : ""} ${className}`}
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
