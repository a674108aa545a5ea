import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, memo, type ReactNode, useEffect, useRef, useState } from "react";
import { Icon } from "./icon.tsx";
import { type Drag, useDrag } from "./reorder-drag.ts";
import { useRowsInSight } from "./rows-in-sight.ts";
import "./reorder.css";

export interface ReorderProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  /** Name of the row for screen readers. */
  readonly rowName: (row: T) => string;
  /** Absent: read-only order. */
  readonly onMove?: ((key: string, to: number) => void) | undefined;
  readonly row: (row: T, place: number) => ReactNode;
  readonly rowClass?: (row: T) => string;
  readonly current?: string | undefined;
  readonly says: {
    /** On the handle: its purpose and the keys that move it. */
    readonly handle: (name: string) => string;
    readonly movedTo: (name: string, place: number, of: number) => string;
  };
}

/** With more rows than this, only visible rows are rendered. */
const wholeMost = 60;
const rowPx = 76;

/**
 * A list that can be reordered: by dragging the handle, or with Alt and the arrow keys (Home, End) on it. Of a thousand
 * rows only visible ones are rendered, and a dragged row stays rendered while the list scrolls.
 */
export function ReorderList<T>(props: ReorderProps<T>) {
  const { label, rows, rowKey, rowName, onMove, says } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isWindowed = rows.length > wholeMost;
  const [told, setTold] = useState("");
  const move = (key: string, to: number) => {
    const from = rows.findIndex((row) => rowKey(row) === key);
    const place = Math.max(0, Math.min(to, rows.length - 1));
    if (from === -1 || place === from) return;
    onMove?.(key, place);
    setTold(says.movedTo(rowName(rows[from]!), place + 1, rows.length));
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
          {rows.map((row, place) => (
            <Row key={rowKey(row)} {...inner} item={row} place={place} />
          ))}
        </ol>
      ) : (
        <Windowed {...inner} />
      )}
      <p className="unseen" role="status">
        {told}
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
    ...useRowsInSight(scroller, rows, rowKey, rowPx),
    overscan: 4,
    rangeExtractor: (range) => {
      const seen = defaultRangeExtractor(range);
      const { held } = drag;
      return held === undefined || seen.includes(held.from) ? seen : [...seen, held.from].toSorted((a, b) => a - b);
    },
  });
  // Only when another row becomes current: otherwise every refetch would scroll the list.
  useEffect(() => {
    const place = rows.findIndex((row) => rowKey(row) === current);
    if (place !== -1) windowed.scrollToIndex(place, { align: "auto" });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
  }, [current]);
  return (
    <ol className="reorder-windowed" style={{ height: windowed.getTotalSize() }}>
      {windowed.getVirtualItems().map(({ index, key, start }) => (
        <Row key={key} {...props} item={rows[index]!} place={index} measure={windowed.measureElement} startPx={start} />
      ))}
    </ol>
  );
}

interface RowProps<T> extends InnerProps<T> {
  readonly item: T;
  readonly place: number;
  readonly measure?: (element: HTMLElement | null) => void;
  /** Offset; absent: after the previous row. */
  readonly startPx?: number;
}

/** Memoized: a visible row is not rendered again while others change. */
const Row = memo(function Row<T>({
  item,
  place,
  rows,
  rowKey,
  rowName,
  row,
  rowClass,
  current,
  says,
  drag,
  move,
  ...shown
}: RowProps<T>) {
  const key = rowKey(item);
  const { held } = drag;
  const mark = held === undefined ? "" : held.from === place ? "held" : marked(held, place);
  const press = (event: KeyboardEvent) => {
    const to = event.altKey ? placeFor(event.key, place, rows.length) : undefined;
    if (to === undefined) return;
    event.preventDefault();
    move?.(key, to);
    const handle = event.currentTarget;
    requestAnimationFrame(() => handle.scrollIntoView({ block: "nearest" }));
  };
  return (
    <li
      ref={shown.measure}
      data-index={place}
      aria-posinset={place + 1}
      aria-setsize={rows.length}
      aria-current={key === current ? true : undefined}
      className={`reorder-row ${mark} ${rowClass?.(item) ?? ""} ${shown.startPx === undefined ? "" : "floating"}`}
      style={shown.startPx === undefined ? undefined : { transform: `translateY(${shown.startPx}px)` }}
    >
      {move ? (
        <button
          type="button"
          className="reorder-handle"
          aria-label={says.handle(rowName(item))}
          title={says.handle(rowName(item))}
          onKeyDown={press}
          onPointerDown={(event) => drag.take(event, key, place)}
        >
          <Icon name="drag" />
        </button>
      ) : (
        <span />
      )}
      {row(item, place)}
    </li>
  );
}) as <T>(props: RowProps<T>) => ReactNode;

function marked({ from, to }: { readonly from: number; readonly to: number }, place: number): string {
  if (place !== to) return "";
  return to < from ? "before" : to > from ? "after" : "";
}

function placeFor(pressed: string, place: number, count: number): number | undefined {
  const places: Readonly<Record<string, number>> = {
    ArrowUp: place - 1,
    ArrowDown: place + 1,
    Home: 0,
    End: count - 1,
  };
  return places[pressed];
}
