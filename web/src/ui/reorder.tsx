import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, memo, type ReactNode, useEffect, useRef, useState } from "react";
import { Icon } from "./icon.tsx";
import { type Drag, useDrag } from "./reorder-drag.ts";
import { useVisibleRows } from "./visible-rows.ts";
import "./reorder.css";

export interface ReorderProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  /** Name of the row for screen readers. */
  readonly rowName: (row: T) => string;
  /** Absent: read-only order. */
  readonly onMove?: ((key: string, to: number) => void) | undefined;
  readonly row: (row: T, index: number) => ReactNode;
  readonly rowClass?: (row: T) => string;
  readonly current?: string | undefined;
  readonly text: {
    /** On the handle: its purpose and the keys that move it. */
    readonly handle: (name: string) => string;
    readonly movedTo: (name: string, index: number, of: number) => string;
  };
}

/** With more rows than this, only visible rows are rendered. */
const maxUnwindowed = 60;
const rowPx = 76;

/**
 * A list that can be reordered: by dragging the handle, or with Alt and the arrow keys (Home, End) on it. Of a thousand
 * rows only visible ones are rendered, and a dragged row stays rendered while the list scrolls.
 */
export function ReorderList<T>(props: ReorderProps<T>) {
  const { label, rows, rowKey, rowName, onMove, text } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isWindowed = rows.length > maxUnwindowed;
  const [announcement, setAnnouncement] = useState("");
  const move = (key: string, to: number) => {
    const from = rows.findIndex((row) => rowKey(row) === key);
    const index = Math.max(0, Math.min(to, rows.length - 1));
    if (from === -1 || index === from) return;
    onMove?.(key, index);
    setAnnouncement(text.movedTo(rowName(rows[from]!), index + 1, rows.length));
  };
  const drag = useDrag(scroller, move);
  const inner = { ...props, drag, scroller, move: onMove && move };
  return (
    <div
      className={isWindowed ? "reorder windowed" : "reorder"}
      ref={scroller}
      role="group"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable area must be reachable by keyboard
      tabIndex={isWindowed ? 0 : undefined}
    >
      {!isWindowed ? (
        <ol>
          {rows.map((row, index) => (
            <Row key={rowKey(row)} {...inner} item={row} index={index} />
          ))}
        </ol>
      ) : (
        <Windowed {...inner} />
      )}
      <p className="unseen" role="status">
        {announcement}
      </p>
    </div>
  );
}

interface InnerProps<T> extends ReorderProps<T> {
  readonly drag: Drag;
  readonly scroller: React.RefObject<HTMLDivElement | null>;
  readonly move: ((key: string, to: number) => void) | undefined;
}

function Windowed<T>(props: InnerProps<T>) {
  "use no memo";
  const { rows, rowKey, current, drag, scroller } = props;
  const windowed = useVirtualizer({
    ...useVisibleRows(scroller, rows, rowKey, rowPx),
    overscan: 4,
    rangeExtractor: (range) => {
      const seen = defaultRangeExtractor(range);
      const { held } = drag;
      return held === undefined || seen.includes(held.from) ? seen : [...seen, held.from].toSorted((a, b) => a - b);
    },
  });
  // Only when another row becomes current: otherwise every refetch would scroll the list.
  useEffect(() => {
    const index = rows.findIndex((row) => rowKey(row) === current);
    if (index !== -1) windowed.scrollToIndex(index, { align: "auto" });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
  }, [current]);
  return (
    <ol className="reorder-windowed" style={{ height: windowed.getTotalSize() }}>
      {windowed.getVirtualItems().map(({ index, key, start }) => (
        <Row key={key} {...props} item={rows[index]!} index={index} measure={windowed.measureElement} startPx={start} />
      ))}
    </ol>
  );
}

interface RowProps<T> extends InnerProps<T> {
  readonly item: T;
  readonly index: number;
  readonly measure?: (element: HTMLElement | null) => void;
  /** Offset; absent: after the previous row. */
  readonly startPx?: number;
}

/** Memoized: a visible row is not rendered again while others change. */
const Row = memo(function Row<T>({
  item,
  index,
  rows,
  rowKey,
  rowName,
  row,
  rowClass,
  current,
  text,
  drag,
  move,
  ...shown
}: RowProps<T>) {
  const key = rowKey(item);
  const { held } = drag;
  const mark = held === undefined ? "" : held.from === index ? "held" : marked(held, index);
  const press = (event: KeyboardEvent) => {
    const to = event.altKey ? indexFor(event.key, index, rows.length) : undefined;
    if (to === undefined) return;
    event.preventDefault();
    move?.(key, to);
    const handle = event.currentTarget;
    requestAnimationFrame(() => handle.scrollIntoView({ block: "nearest" }));
  };
  return (
    <li
      ref={shown.measure}
      data-index={index}
      aria-posinset={index + 1}
      aria-setsize={rows.length}
      aria-current={key === current ? true : undefined}
      className={`reorder-row ${mark} ${rowClass?.(item) ?? ""} ${shown.startPx === undefined ? "" : "floating"}`}
      style={shown.startPx === undefined ? undefined : { transform: `translateY(${shown.startPx}px)` }}
    >
      {move ? (
        <button
          type="button"
          className="reorder-handle"
          aria-label={text.handle(rowName(item))}
          title={text.handle(rowName(item))}
          onKeyDown={press}
          onPointerDown={(event) => drag.take(event, key, index)}
        >
          <Icon name="drag" />
        </button>
      ) : (
        <span />
      )}
      {row(item, index)}
    </li>
  );
}) as <T>(props: RowProps<T>) => ReactNode;

function marked({ from, to }: { readonly from: number; readonly to: number }, index: number): string {
  if (index !== to) return "";
  return to < from ? "before" : to > from ? "after" : "";
}

function indexFor(pressed: string, index: number, count: number): number | undefined {
  const indexes: Readonly<Record<string, number>> = {
    ArrowUp: index - 1,
    ArrowDown: index + 1,
    Home: 0,
    End: count - 1,
  };
  return indexes[pressed];
}
